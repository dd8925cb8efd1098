import { type TextSource, topRefused } from '@sluice/metrics';
import { httpListener } from '../http/http-listener.js';
import { httpServer } from '../http/http-server.js';
import type { Route } from '../http/route.js';
import type { ReportError } from '../http/router.js';
import type { Listener } from '../listener.js';
import { adminRoutes } from './admin-routes.js';
import type { AdminParts } from './admin-verb.js';
import { senderCheck } from './sender-check.js';
import type { AdminTokens } from './tokens.js';

/** The options of `createAdminListener`. */
interface AdminListenerOptions extends Omit<AdminParts, 'top'> {
  readonly tokens: AdminTokens;
  /** The source of `/metrics`: the registry of prom-client. */
  readonly metrics: TextSource;
  /** Names that `Host` may have besides addresses and `localhost`, without a port. Default: none. */
  readonly hosts?: readonly string[];
  /** Gets errors that no operator is to blame for. */
  readonly report: ReportError;
}

/** How many refused keys are remembered. */
const TOP_SIZE = 1000;

/**
 * Makes the listener of the administration. Everything but health needs a token, on loopback too: every program on the machine
 * could ask otherwise, and every page in a browser on it.
 *
 * From now on it remembers which keys are refused most, until it is closed.
 */
export function createAdminListener(options: AdminListenerOptions): Listener {
  const { tokens, metrics, hosts = [], report, ...parts } = options;
  const top = topRefused({ size: TOP_SIZE, describeKey: (key) => key });
  const checkSender = senderCheck(hosts);
  const routes = adminRoutes({ ...parts, top }, tokens, metrics).map((route) => guarded(route, checkSender));
  const listener = httpListener(httpServer(routes, report));
  return {
    listen: (host, port) => listener.listen(host, port),
    leave: () => listener.leave(),
    async close(withinMs) {
      top.stop();
      await listener.close(withinMs);
    },
  };
}

/** Lets a check run before a route. */
function guarded(route: Route, check: ReturnType<typeof senderCheck>): Route {
  return {
    ...route,
    handle(request, response) {
      check(request.message);
      return route.handle(request, response);
    },
  };
}
