/** Where the fields of a request are: in Node's object, or in the `Headers` of fetch, which Hono has within. */
interface Carrier {
  readonly headers?: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly req?: { readonly raw?: Carrier };
}

/** Whether a request would rather have a page than JSON: browsers name `text/html`, programs do not. */
export function prefersHtml(request: unknown): boolean {
  const ranges = acceptOf(request as Carrier);
  const html = qualityOf(ranges, 'text/html');
  return html > 0 && html >= qualityOf(ranges, 'application/json');
}

function acceptOf(carrier: Carrier): string {
  const { headers } = carrier.req?.raw ?? carrier;
  if (!headers) return '';
  const value = typeof headers.get === 'function' ? headers.get('accept') : (headers as Record<string, unknown>).accept;
  return typeof value === 'string' ? value : '';
}

/** Returns the quality (RFC 9110 section 12.4.2) of the range that names a type; 0 if none does. Wildcards name nothing. */
function qualityOf(accept: string, type: string): number {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return 0;
}
