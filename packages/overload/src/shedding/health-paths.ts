/** The paths that probes of Kubernetes and of load balancers usually ask. */
const USUAL: readonly string[] = ['/livez', '/readyz'];

const QUESTION_MARK = 0x3f;

/**
 * Returns whether a request is a health check: its whole URL has the path of one, with any query or none, or that path is the
 * pattern of its route. A part of the URL says nothing, because a client chooses the rest: `/users/livez` can be the user `livez`.
 */
type HealthCheck = (url: string, route: string | undefined) => boolean;

/** Makes the test for the paths of the option `health`; undefined if there are none. */
export function healthCheckOf(health: readonly string[] | false = USUAL): HealthCheck | undefined {
  if (health === false || health.length === 0) return undefined;
  const paths = [...health];
  return (url, route) => paths.some((path) => path === route || isAt(url, path));
}

function isAt(url: string, path: string): boolean {
  if (!url.startsWith(path)) return false;
  return url.length === path.length || url.charCodeAt(path.length) === QUESTION_MARK;
}
