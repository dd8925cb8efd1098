import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { createLimiter, type Limit, type Limiter } from '@sluice/core';
import { concurrency, everyone, leakyBucket, MemoryStore, rateLimit, shedLoad, tokenBucket } from '@sluice/express';
import { createLlm, priceTable, readCall, watchBudgets } from '@sluice/llm';
import { metricsHandler, openTelemetryMetrics, prometheusMetrics } from '@sluice/metrics';
import { RedisStore } from '@sluice/redis';
import express from 'express';
import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { LIVE } from './live-status.js';

/** How the requests to a path are decided. Each path is a policy of its own. */
export const MODES = ['memory', 'redis', 'local', 'shadow'] as const;

/** An application whose policies show every metric, with a port for Prometheus' format and one for OpenTelemetry. */
export interface ObservedApp {
  readonly url: string;
  readonly metricsPort: number;
  readonly otelPort: number;
  readonly registry: Registry;
  stop(): Promise<void>;
}

/**
 * @param redis - a client of a Redis that works
 * @param gone - a client of a Redis that has ended
 * @param limit - requests that each policy allows in all tests
 */
export async function startObservedApp(redis: Redis, gone: Redis, limit: number): Promise<ObservedApp> {
  const registry = new Registry();
  const tierOf = (limit: Limit) => (limit.algorithm === 'leaky-bucket' ? 'paced' : undefined);
  const options = { policies: LIVE, budgets: watchBudgets, tierOf };
  const endPrometheus = prometheusMetrics({ registry, ...options });
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const endOpenTelemetry = openTelemetryMetrics({ meter: provider.getMeter('sluice'), ...options });
  const { listener, stores } = appOver(redis, gone, limit);

  const servers = await Promise.all([
    listen(listener),
    listen(metricsHandler(registry)),
    listen((request, response) => exporter.getMetricsRequestHandler(request, response)),
  ]);
  const [app, metrics, otel] = servers.map((server) => (server.address() as AddressInfo).port);
  return {
    url: `http://127.0.0.1:${app}`,
    metricsPort: metrics as number,
    otelPort: otel as number,
    registry,
    stop: async () => {
      await provider.shutdown();
      endPrometheus();
      endOpenTelemetry();
      await Promise.all(servers.map(closed));
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

/** The application, and its stores, which ask a server that is gone again and again until they are closed. */
function appOver(redis: Redis, gone: Redis, limit: number): { listener: RequestListener; stores: RedisStore[] } {
  const app = express();
  // However slow the machine is, nothing is shed.
  app.use(shedLoad({ loop: false, inFlight: { initial: 1000 } }));
  // However slow the machine is, this store decides.
  const shared = new RedisStore({ client: redis, instances: 1, timeout: '1m' });
  const lost = new RedisStore({ client: gone, instances: 1, name: 'gone' });
  const policy = { limit, window: '1h', keyGenerator: everyone() } as const;
  const modes = {
    memory: { store: new MemoryStore() },
    redis: { store: shared },
    local: { store: lost },
    shadow: { store: shared, enforce: 0 },
  } as const satisfies Record<(typeof MODES)[number], object>;
  for (const mode of MODES) app.use(`/${mode}`, rateLimit({ name: mode, ...policy, ...modes[mode] }));
  const frozen = new RedisStore({ client: redis, instances: 1, name: 'frozen', prefix: 'frozen:' });
  app.use('/frozen', rateLimit({ name: 'frozen', ...policy, store: frozen }));
  // The rest of the catalogue: delays, slots, lines, and keys that are evicted.
  const store = new MemoryStore({ maxKeys: 1000 });
  const further = {
    slow: leakyBucket({ capacity: 100, leakRate: 50 }),
    slots: concurrency({ limit: 10, lease: '1m' }),
    line: tokenBucket({ capacity: 1, refillRate: 50 }),
  };
  for (const [name, limit] of Object.entries(further)) {
    app.use(`/${name}`, rateLimit({ name, limit, store, ...(name === 'line' && { maxWait: '10s' }) }));
  }
  app.get('/model', async (_req, res) => {
    await callModel(store);
    res.end('ok');
  });
  app.use((_req, res) => {
    res.end('ok');
  });
  return { listener: app, stores: [shared, lost, frozen] };
}

/** A call of a model that uses a tenth of the budget. */
async function callModel(store: MemoryStore): Promise<void> {
  const reservation = await models(store).reserve(BODY);
  if (!reservation.allowed) return;
  const call = readCall(BODY);
  await LLM.meter(reservation, call).settle({ ...NOTHING, input: 10, output: 100 });
}

const BODY = { model: 'small', messages: [{ role: 'user', content: 'hello' }], max_tokens: 100 };
const NOTHING = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, complete: true };

const LLM = createLlm<[object]>({
  call: (body) => body,
  plan: { name: 'free', perDay: 2000 },
  prices: priceTable({ small: { input: '1', output: '2' } }),
});

let limiter: Limiter<object> | undefined;

/** Of one policy, whoever calls. */
function models(store: MemoryStore): Limiter<object> {
  limiter ??= createLimiter<object>({ name: 'models', limits: LLM.policy.limits, keyGenerator: everyone(), store });
  return limiter;
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
}

function closed(server: Server): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
