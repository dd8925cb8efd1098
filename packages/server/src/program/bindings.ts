import { prometheusMetrics } from '@sluice/metrics';
import { Registry } from 'prom-client';
import { createAdminListener } from '../admin/admin-listener.js';
import type { AuditTrail } from '../admin/audit-trail.js';
import type { AdminTokens } from '../admin/tokens.js';
import { decisionRoutes } from '../decisions/decision-routes.js';
import { jsonRoutes } from '../descriptors/json-route.js';
import { createGrpcListener } from '../grpc/grpc-listener.js';
import { healthRoutes } from '../health/health-routes.js';
import { httpListener } from '../http/http-listener.js';
import { httpServer } from '../http/http-server.js';
import { exportRequestMetrics } from '../metrics/export-request-metrics.js';
import { RequestMetrics } from '../metrics/request-metrics.js';
import { openApiRoute } from '../openapi/openapi-route.js';
import type { Readiness } from '../readiness.js';
import type { Service } from '../service/service.js';
import { newSecret } from '../tokens/new-secret.js';
import { reservationTokens } from '../tokens/reservation-tokens.js';
import { trafficRoutes } from '../traffic/traffic-routes.js';
import { callerCheck } from '../trust/caller-check.js';
import type { Binding } from './listen.js';
import type { Log } from './log.js';
import type { ServerOptions } from './options/server-options.js';

/** The parts that the listeners of all protocols are made of. */
interface BindingParts {
  readonly options: ServerOptions;
  readonly service: Service;
  readonly readiness: Readiness;
  readonly audit: AuditTrail;
  readonly tokens: AdminTokens;
  readonly log: Log;
  /** Begins to end this instance. */
  drain(): Promise<void>;
}

/** Makes the listeners of all ports, with the addresses that they bind to: traffic, gRPC, administration. */
export function bindingsOf(parts: BindingParts): readonly Binding[] {
  const { options, service, readiness, audit, tokens, drain, log } = parts;
  const { host, port, grpcPort, adminHost, adminPort, adminNames: hosts } = options;
  const requestMetrics = new RequestMetrics();
  const callers = callerCheck(options);
  const report = (error: unknown): void => log.error({ err: error }, 'a request failed');
  const reservations = reservationTokens(options.secrets.length > 0 ? options.secrets : [newSecret()]);
  const routes = [
    ...healthRoutes(readiness),
    ...trafficRoutes({ ...options, service, requestMetrics }),
    ...decisionRoutes({ service, callers, metrics: requestMetrics.of('decisions'), tokens: reservations }),
    ...jsonRoutes({ service, callers, metrics: requestMetrics.of('json') }),
    openApiRoute(),
  ];
  const traffic = httpListener(httpServer(routes, report));
  const grpc = createGrpcListener({
    service,
    readiness,
    callers,
    report,
    metrics: requestMetrics.of('rls'),
    maxConnectionAgeMs: options.grpcConnectionAgeMs,
  });
  const metrics = metricsOf(service, requestMetrics);
  const admin = createAdminListener({ service, readiness, tokens, audit, drain, metrics, hosts, report });
  return [
    { listener: traffic, host, port, flag: '--port' },
    { listener: grpc, host, port: grpcPort, flag: '--grpc-port' },
    { listener: admin, host: adminHost, port: adminPort, flag: '--admin-port' },
  ];
}

/** Reads what is counted in any case, when somebody asks for it. */
function metricsOf({ live: policies }: Service, requestMetrics: RequestMetrics): Registry {
  const registry = new Registry();
  prometheusMetrics({ registry, policies });
  exportRequestMetrics(registry, requestMetrics);
  return registry;
}
