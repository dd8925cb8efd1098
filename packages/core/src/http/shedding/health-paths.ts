/** The paths that probes of Kubernetes and of load balancers usually ask. */
const USUAL: readonly string[] = ['/livez', '/readyz'];

const QUESTION_MARK = 0x3f;

/** Returns whether a URL has the path of a health check, with any query or none. */
export type HealthCheck = (url: string) => boolean;

/** Makes the test for the paths of the option `health`; undefined if there are none. */
export function healthCheckOf(health: readonly string[] | false = USUAL): HealthCheck | undefined {
  if (health === false || health.length === 0) return undefined;
  const paths = [...health];
  return (url) => paths.some((path) => isAt(url, path));
}

function isAt(url: string, path: string): boolean {
  if (!url.startsWith(path)) return false;
  return url.length === path.length || url.charCodeAt(path.length) === QUESTION_MARK;
}
