import { hash } from '../key.js';

/** What tells a route from all others of an application. */
export interface Route {
  readonly method: string | readonly string[];
  /** Its path, with the names of parameters in it. */
  readonly url: string;
  /** What else a request has to have for it, such as a host or a version. */
  readonly constraints?: Readonly<Record<string, unknown>> | undefined;
}

/** The most that the name of a policy may have. */
const MOST_CHARACTERS = 128;

/** 132 bits: two routes do not meet. */
const HASH_CHARACTERS = 22;

/**
 * What the policy of a route is called that has no name of its own: its methods, its path, and its constraints in the order
 * of their names. HEAD shares an allowance with GET. Characters that no header field may have are percent-encoded. A name
 * of more than 128 characters is cut, and ends in a hash of the whole.
 *
 * @example routeName({ method: 'GET', url: '/users/:id', constraints: { version: '2.0.0' } }) // 'GET /users/:id version=2.0.0'
 */
export function routeName({ method, url, constraints = {} }: Route): string {
  const methods = [method].flat().map((name) => (name === 'HEAD' ? 'GET' : name));
  const parts = Object.entries(constraints).map(([name, value]) => `${name}=${String(value)}`);
  const name = [[...new Set(methods)].join(), url, ...parts.sort()].map(encoded).join(' ');
  if (name.length <= MOST_CHARACTERS) return name;
  return `${name.slice(0, MOST_CHARACTERS - HASH_CHARACTERS - 1)}~${hash(name).slice(0, HASH_CHARACTERS)}`;
}

function encoded(text: string): string {
  return encodeURI(text.toWellFormed());
}
