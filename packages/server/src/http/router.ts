import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Refusal } from '@sluice/core/http';
import type { Eventual } from '@sluice/core/values';
import { InputProblem } from './input-problem.js';
import { sendRefusalText } from './respond.js';
import { type Route, RouteRequest, type Target } from './route.js';

/** Routes of the same path, by method. */
class Methods {
  readonly #byMethod = new Map<string, Route>();
  #any: Route | undefined;

  add(route: Route): void {
    if (route.method === undefined) this.#any = route;
    else this.#byMethod.set(route.method, route);
  }

  /** @throws InputProblem 405 */
  of(method: string): Route {
    const route = this.#byMethod.get(method) ?? this.#any;
    if (route) return route;
    const allowed = [...this.#byMethod.keys()].join(', ');
    throw new InputProblem(405, [{ parameter: 'method', detail: `must be ${allowed}` }], {
      headers: { Allow: allowed },
    });
  }
}

/** A target, and the routes that answer it. */
interface RoutedTarget extends Target {
  readonly methods: Methods;
}

/** Balancers ask for the same few targets again and again. Whoever makes up others must not fill the memory. */
const MOST_REMEMBERED = 1000;
const LONGEST_REMEMBERED = 256;

/** The answer if a handler fails. It says nothing of the reason. */
const FAILED: Refusal = {
  status: 500,
  headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
  body: JSON.stringify({ type: 'about:blank', title: 'Internal Server Error', status: 500 }),
};

/** Gets the errors that are no fault of the client. */
export type ReportError = (error: unknown, message: IncomingMessage) => void;

/**
 * Makes the listener of a server that answers by routes. A path comes before a prefix, and a longer prefix before a shorter one.
 *
 * @param report - gets the errors of handlers that are no `InputProblem`. The client gets 500 without the reason.
 */
export function requestListener(routes: readonly Route[], report: ReportError): RequestListener {
  const paths = new Map<string, Methods>();
  const prefixes = new Map<string, Methods>();
  for (const route of routes) {
    const [map, key] = route.path === undefined ? [prefixes, route.prefix] : [paths, route.path];
    const methods = map.get(key) ?? new Methods();
    methods.add(route);
    map.set(key, methods);
  }
  const known = [...paths.keys(), ...Array.from(prefixes.keys(), (prefix) => `${prefix}…`)];
  const unknown = `is not known here: the paths are ${known.join(', ')}`;
  const byPrefix = [...prefixes]
    .map(([prefix, methods]) => ({ prefix, methods }))
    .toSorted((one, other) => other.prefix.length - one.prefix.length);

  const fail = (error: unknown, message: IncomingMessage, response: ServerResponse): void => {
    if (error instanceof InputProblem) {
      sendRefusalText(response, error.refusal, error.headers);
      return;
    }
    report(error, message);
    if (response.headersSent) response.destroy();
    else sendRefusalText(response, FAILED);
  };

  const remembered = new Map<string, RoutedTarget>();

  /** @throws InputProblem 404 */
  const targetOf = (url: string): RoutedTarget => {
    const known = remembered.get(url);
    if (known) return known;
    const target = routed(originForm(url));
    if (url.length <= LONGEST_REMEMBERED && remembered.size < MOST_REMEMBERED) remembered.set(url, target);
    return target;
  };

  const routed = (target: string): RoutedTarget => {
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const search = mark < 0 ? '' : target.slice(mark + 1);
    const exact = paths.get(path);
    if (exact) return { path, rest: '', search, methods: exact };
    const found = byPrefix.find(({ prefix }) => path.startsWith(prefix));
    if (found) return { path, rest: path.slice(found.prefix.length), search, methods: found.methods };
    throw new InputProblem(404, [{ parameter: 'path', detail: unknown }]);
  };

  const handle = (message: IncomingMessage, response: ServerResponse): Eventual<void> => {
    const target = targetOf(message.url ?? '/');
    return target.methods.of(message.method ?? 'GET').handle(new RouteRequest(message, target), response);
  };

  return (message, response) => {
    try {
      const handled = handle(message, response);
      if (handled) void handled.then(undefined, (error) => fail(error, message, response));
    } catch (error) {
      fail(error, message, response);
    }
  };
}

/** Returns the path and the query of a request target, which proxies may write with scheme and host (RFC 9112 section 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const scheme = target.indexOf('://');
  if (scheme < 0) return target;
  const path = target.indexOf('/', scheme + 3);
  return path < 0 ? '/' : target.slice(path);
}
