import { createAdminListener } from '../admin/admin-listener.js';
import type { AuditTrail } from '../admin/audit-trail.js';
import type { AdminTokens } from '../admin/tokens.js';
import { createGrpcListener } from '../grpc/grpc-listener.js';
import { metricsRegistry } from '../metrics/metrics-registry.js';
import { RequestMetrics } from '../metrics/request-metrics.js';
import type { Readiness } from '../readiness.js';
import type { Service } from '../service/service.js';
import { callerCheck } from '../trust/caller-check.js';
import type { Binding } from './listen.js';
import type { Log } from './log.js';
import type { ServerOptions } from './options/server-options.js';
import { createTrafficListener } from './traffic-listener.js';

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
  const traffic = createTrafficListener({ options, service, readiness, callers, requestMetrics, report });
  const grpc = createGrpcListener({
    service,
    readiness,
    callers,
    report,
    metrics: requestMetrics.of('rls'),
    maxConnectionAgeMs: options.grpcConnectionAgeMs,
  });
  const metrics = metricsRegistry(service.live, requestMetrics);
  const admin = createAdminListener({ service, readiness, tokens, audit, drain, metrics, hosts, report });
  return [
    { listener: traffic, host, port, flag: '--port' },
    { listener: grpc, host, port: grpcPort, flag: '--grpc-port' },
    { listener: admin, host: adminHost, port: adminPort, flag: '--admin-port' },
  ];
}
