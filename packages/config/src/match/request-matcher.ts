import { pathPattern } from './path-pattern.js';

/** Which requests a policy is for. */
export interface RequestMatch {
  /** Patterns of the path, of which one has to fit: see `pathPattern`. Undefined for every path. */
  readonly path: string | readonly string[] | undefined;
  /** In upper case. Undefined for every method. */
  readonly methods: readonly string[] | undefined;
}

/** What is matched of a request. */
export interface MatchedRequest {
  /** The method, such as `GET`. */
  readonly method: string;
  /** The path, with or without its query. */
  readonly url: string;
}

/**
 * Makes a function that says whether a policy is for a request.
 *
 * @param match - undefined for all requests
 */
export function requestMatcher(match: RequestMatch | undefined): (request: MatchedRequest) => boolean {
  const { path, methods } = match ?? {};
  const patterns = path === undefined ? undefined : [path].flat().map(pathPattern);
  const known = methods && new Set(methods);
  return ({ method, url }) => {
    if (known && !known.has(method)) return false;
    if (!patterns) return true;
    const own = pathOf(url);
    return patterns.some((matches) => matches(own));
  };
}

/** Returns what comes before the query. */
function pathOf(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const fragment = path.indexOf('#');
  return fragment < 0 ? path : path.slice(0, fragment);
}
