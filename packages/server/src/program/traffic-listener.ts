import { decisionRoutes } from '../decisions/decision-routes.js';
import { jsonRoutes } from '../descriptors/json-route.js';
import { healthRoutes } from '../health/health-routes.js';
import { httpListener } from '../http/http-listener.js';
import { httpServer } from '../http/http-server.js';
import type { ReportError } from '../http/router.js';
import type { Listener } from '../listener.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { openApiRoute } from '../openapi/openapi-route.js';
import type { Readiness } from '../readiness.js';
import type { Service } from '../service/service.js';
import { newSecret, reservationTokens } from '../tokens/reservation-tokens.js';
import { trafficRoutes } from '../traffic/traffic-routes.js';
import type { CallerCheck } from '../trust/caller-check.js';
import type { ServerOptions } from './options/server-options.js';

/** The options of `createTrafficListener`. */
interface TrafficListenerOptions {
  readonly options: ServerOptions;
  readonly service: Service;
  readonly readiness: Readiness;
  /** Checks who may ask for decisions. */
  readonly callers: CallerCheck;
  readonly requestMetrics: RequestMetrics;
  /** Gets errors that no caller is to blame for. */
  readonly report: ReportError;
}

/** Makes the listener of the port for traffic: everything that balancers, proxies and services ask over HTTP. */
export function createTrafficListener(parts: TrafficListenerOptions): Listener {
  const { options, service, readiness, callers, requestMetrics, report } = parts;
  // Without a secret, reservations end with this instance.
  const tokens = reservationTokens(options.secrets.length > 0 ? options.secrets : [newSecret()]);
  const routes = [
    ...healthRoutes(readiness),
    ...trafficRoutes({ ...options, service, requestMetrics }),
    ...decisionRoutes({ service, callers, metrics: requestMetrics.of('decisions'), tokens }),
    ...jsonRoutes({ service, callers, metrics: requestMetrics.of('json') }),
    openApiRoute(),
  ];
  return httpListener(httpServer(routes, report));
}
