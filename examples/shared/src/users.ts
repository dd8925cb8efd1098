/** A real service keeps slow hashes of its passwords. */
const PASSWORDS: ReadonlyMap<string, string> = new Map([
  ['ann', 'wonderland'],
  ['bob', 'builder'],
]);

/** The body of a login as it may come: anything. */
type Body = { readonly username?: unknown; readonly password?: unknown } | null | undefined;

/** Who wants to sign in; undefined without a name. */
export function userNameOf(body: unknown): string | undefined {
  const userName = (body as Body)?.username;
  return typeof userName === 'string' ? userName.toLowerCase() : undefined;
}

/** The name of the user whose password it is; undefined if it is wrong. */
export function signIn(body: unknown): string | undefined {
  const userName = userNameOf(body);
  const password = PASSWORDS.get(userName ?? '');
  return password !== undefined && password === (body as Body)?.password ? userName : undefined;
}
