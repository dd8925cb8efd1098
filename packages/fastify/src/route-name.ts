/**
 * What a policy is called whose route does not say: `GET /users/:id`. HEAD shares an allowance with GET. Characters that
 * no header field may have are percent-encoded.
 */
export function routeName(method: string | readonly string[], url: string): string {
  const methods = [method].flat().map((name) => (name === 'HEAD' ? 'GET' : name));
  return `${[...new Set(methods)].join()} ${encodeURI(url)}`;
}
