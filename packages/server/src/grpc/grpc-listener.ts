import { logVerbosity, Server, type ServerOptions, setLogVerbosity } from '@grpc/grpc-js';
import { systemClock } from '@sluice/core';
import type { Listener } from '../listener.js';
import type { ProtocolMetrics } from '../metrics/protocol-metrics.js';
import type { Readiness } from '../readiness.js';
import type { Service } from '../service/service.js';
import type { CallerCheck } from '../trust/caller-check.js';
import { Connections } from './connections.js';
import { HealthService } from './health-service.js';
import { loadProtocol } from './protocol.js';
import { rateLimitHandler } from './rate-limit-handler.js';

/** The options of `createGrpcListener`. */
export interface GrpcListenerOptions {
  readonly service: Service;
  readonly readiness: Readiness;
  /** Checks callers who ask for decisions. Everybody may ask for the health. */
  readonly callers: CallerCheck;
  /** Counts the answers to `ShouldRateLimit`, by their code. Default: nobody does. */
  readonly metrics?: ProtocolMetrics;
  /** Gets the errors that no caller is to blame for: those get INTERNAL. */
  readonly report: (error: unknown) => void;
  /**
   * How long a connection is used before its client is told to open another one, so that the calls of few clients reach all
   * instances, also new ones. Each connection has its own time: up to a tenth more or less. Default: 10 minutes.
   */
  readonly maxConnectionAgeMs?: number;
}

const TEN_MINUTES_MS = 600_000;

/** Calls that have begun are answered long before. */
const GRACE_MS = 10_000;

const LIMITS: ServerOptions = {
  'grpc.max_receive_message_length': 262_144,
  'grpc.max_send_message_length': 1_048_576,
  'grpc.max_concurrent_streams': 1000,
  // Finds connections whose other end is gone.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.max_connection_age_grace_ms': GRACE_MS,
  'grpc.enable_channelz': 0,
};

/**
 * Makes the listener for gRPC: Envoy's rate limit service, and the health.
 *
 * @example
 * const listener = createGrpcListener({ service, readiness, callers: callerCheck(options), report: (error) => log.error(error) });
 * const port = await listener.listen('127.0.0.1', 8081);
 */
export function createGrpcListener(options: GrpcListenerOptions): Listener {
  const { service, readiness, callers, metrics, report, maxConnectionAgeMs = TEN_MINUTES_MS } = options;
  // The library writes to the standard error by itself.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({ ...LIMITS, 'grpc.max_connection_age_ms': maxConnectionAgeMs });
  const { rateLimit, health } = loadProtocol();
  const healthService = new HealthService(readiness);
  const ShouldRateLimit = rateLimitHandler({ service, knows: callers.knows, report, ...(metrics && { metrics }) });
  server.addService(rateLimit, { ShouldRateLimit });
  server.addService(health, { Check: healthService.check, Watch: healthService.watch });
  const connections = new Connections(server);

  const close = async (withinMs: number): Promise<void> => {
    const disconnected = connections.close();
    healthService.close();
    const closed = new AbortController();
    const ended = Promise.all([disconnected, new Promise<void>((resolve) => server.tryShutdown(() => resolve()))]);
    const late = systemClock.sleep(withinMs, closed.signal).then(
      () => server.forceShutdown(),
      () => {},
    );
    await Promise.race([ended, late]);
    closed.abort();
  };

  return {
    listen: (host, port) => connections.listen(host, port),
    leave() {
      healthService.endWatching();
      connections.leave(GRACE_MS);
    },
    close,
  };
}
