import { hash } from '@sluice/core/http';

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
 * of their names. HEAD shares an allowance with GET, whatever other methods that route has. Characters that no header field
 * may have are percent-encoded. A name of more than 128 characters is cut, and ends in a hash of the whole.
 *
 * @param options - what the route says of its policy. A framework that adds a HEAD route to one for GET hands on the same
 * object.
 * @example routeName({ method: 'GET', url: '/users/:id', constraints: { version: '2.0.0' } }) // 'GET /users/:id version=2.0.0'
 */
export function routeName(route: Route, options: object = route): string {
  const { method, url, constraints = {} } = namesakeOf(route, options);
  const methods = [method].flat().map((name) => (name === 'HEAD' ? 'GET' : name));
  const parts = Object.entries(constraints).map(([name, value]) => `${name}=${String(value)}`);
  const name = [[...new Set(methods)].join(), url, ...parts.sort()].map(encoded).join(' ');
  if (name.length <= MOST_CHARACTERS) return name;
  return `${name.slice(0, MOST_CHARACTERS - HASH_CHARACTERS - 1)}~${hash(name).slice(0, HASH_CHARACTERS)}`;
}

/** The route that was named last of those with the same options. */
const lastNamed = new WeakMap<object, Route>();

/** The route after which another is called. */
function namesakeOf(route: Route, options: object): Route {
  const last = lastNamed.get(options);
  if (route.method === 'HEAD' && last?.url === route.url && last.method.includes('GET')) return last;
  lastNamed.set(options, route);
  return route;
}

function encoded(text: string): string {
  return encodeURI(text.toWellFormed());
}
