import { hash } from '@sluice/core/values';

/** The properties that identify a route of an application. */
export interface Route {
  readonly method: string | readonly string[];
  /** The path, with the names of its parameters. */
  readonly url: string;
  /** Further conditions of the route, such as a host or a version. */
  readonly constraints?: Readonly<Record<string, unknown>> | undefined;
}

/** The longest name of a policy. */
const MOST_CHARACTERS = 128;

/** 132 bits, so that two routes do not get the same name. */
const HASH_CHARACTERS = 22;

/**
 * Returns the name of a route's policy if the route does not set one: its methods, its path, and its constraints sorted
 * by name. HEAD shares the limit of GET, whatever other methods the route has. Characters that a header field cannot
 * have are percent-encoded. A name of more than 128 characters is cut, and ends with a hash of the whole name.
 *
 * @param options - the options of the route's policy. A framework that adds a HEAD route to a GET route passes on the
 * same object.
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

/** The route that was named last among those with the same options. */
const lastNamed = new WeakMap<object, Route>();

/** Returns the route whose name is used. */
function namesakeOf(route: Route, options: object): Route {
  const last = lastNamed.get(options);
  if (route.method === 'HEAD' && last?.url === route.url && last.method.includes('GET')) return last;
  lastNamed.set(options, route);
  return route;
}

function encoded(text: string): string {
  return encodeURI(text.toWellFormed());
}
