import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { fixedWindow, MemoryStore, type PolicyOptions, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/express';
import { RedisStore } from '@sluice/redis';
import { freePort } from '@sluice/test-kit/free-port';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import express from 'express';
import { Redis } from 'ioredis';
import promClient from 'prom-client';
import { metricsHandler, openTelemetryMetrics, prometheusMetrics } from '../src/index.js';
import { asOpenTelemetry, ofSluice } from './as-open-telemetry.js';
import { parseText, sumOf } from './parse-text.js';

/** `npm run proof -- metrics` asks as often as the acceptance test says. */
const REQUESTS = process.env.SLUICE_METRICS === 'full' ? 1000 : 120;
const LIMIT = 60;

let redis: Redis;
let absent: Redis;
withRedis((client) => {
  redis = client;
});

let server: Server;
let url: string;
let exporter: PrometheusExporter;
let provider: MeterProvider;
const ends: (() => unknown)[] = [];

const app = express();
/** A text is kept for a second of it. */
const clock = new ManualClock();

beforeAll(async () => {
  // Nobody listens there.
  absent = new Redis(await freePort(), '127.0.0.1', { retryStrategy: () => 50, enableOfflineQueue: false });
  absent.on('error', () => {});
  const registry = new promClient.Registry();
  ends.push(prometheusMetrics({ registry }));
  exporter = new PrometheusExporter({ preventServerStart: true });
  provider = new MeterProvider({ readers: [exporter] });
  ends.push(openTelemetryMetrics({ meter: provider.getMeter('sluice') }));
  app.get('/metrics', metricsHandler(registry, { clock }));
  app.get('/otel', (req, res) => exporter.getMetricsRequestHandler(req, res));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  for (const end of ends) await end();
  await provider.shutdown();
  absent.disconnect();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function scrape(path: string): Promise<ReadonlyMap<string, number>> {
  await clock.advance(1000);
  const response = await fetch(url + path);
  return ofSluice(parseText(await response.text()));
}

/** Sends all requests, twenty at a time, and returns how many got each status. */
async function statusesOf(path: string): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>();
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent < REQUESTS) {
      sent += 1;
      const { status, body } = await fetch(`${url}/${path}`);
      await body?.cancel();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 20 }, client));
  return statuses;
}

/** One long window: no request of a slow machine falls into the next one. */
const LIMITS = { limit: fixedWindow({ limit: LIMIT, window: '1d' }) };

interface Way {
  readonly store: () => Store;
  readonly options?: Partial<PolicyOptions<never>>;
  readonly outcome: 'refused' | 'shadowed';
  readonly source: 'store' | 'local';
}

const WAYS: Readonly<Record<string, Way>> = {
  memory: { store: () => new MemoryStore(), outcome: 'refused', source: 'store' },
  redis: { store: () => new RedisStore({ client: redis, timeout: '1m' }), outcome: 'refused', source: 'store' },
  local: {
    store: () => new RedisStore({ client: absent, name: 'absent' }),
    options: { onStoreError: 'local' },
    outcome: 'refused',
    source: 'local',
  },
  shadow: {
    store: () => new RedisStore({ client: redis, timeout: '1m' }),
    options: { enforce: 0 },
    outcome: 'shadowed',
    source: 'store',
  },
};

describe.each(Object.entries(WAYS))(
  'the counts of an Express server: %s',
  (name, { store, options, outcome, source }) => {
    it('are exactly those of its client, by prom-client and by OpenTelemetry', async () => {
      const counted = store();
      ends.push(() => counted.close?.());
      app.get(`/${name}`, rateLimit({ name, store: counted, ...LIMITS, ...options } as never), (_, res) => res.end());
      const statuses = await statusesOf(name);
      const refused = statuses.get(429) ?? 0;
      expect(refused).toBe(outcome === 'refused' ? REQUESTS - LIMIT : 0);
      for (const path of ['/metrics', '/otel'] as const) {
        const series = path === '/otel' ? await scrape(path) : asRead(await scrape(path));
        const of = (labels: object) => sumOf(series, 'sluice_decisions_total', { sluice_policy: name, ...labels });
        expect([path, of({})]).toEqual([path, REQUESTS]);
        expect([path, of({ sluice_source: source })]).toEqual([path, REQUESTS]);
        expect([path, of({ sluice_outcome: 'allowed' })]).toEqual([path, LIMIT]);
        expect([path, of({ sluice_outcome: outcome })]).toEqual([path, REQUESTS - LIMIT]);
        expect([path, of({ sluice_outcome: 'refused' })]).toEqual([path, refused]);
      }
    });
  },
);

/** The series of prom-client in the spelling of OpenTelemetry. */
function asRead(series: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...series].map(([key, value]) => [asOpenTelemetry(key), value]));
}

describe('prom-client and OpenTelemetry in one process', () => {
  it('show the same numbers in every series', async () => {
    const [byClient, byTelemetry] = [asRead(await scrape('/metrics')), await scrape('/otel')];
    // OpenTelemetry begins a histogram with its first duration.
    const empty = [...byClient].filter(([key]) => !byTelemetry.has(key));
    expect(empty.filter(([key, value]) => value !== 0 || !/_(bucket|sum|count)\{/.test(key))).toEqual([]);
    expect([...byTelemetry].filter(([key, value]) => !isSame(byClient.get(key), value))).toEqual([]);
    expect(byTelemetry.size).toBeGreaterThan(4 * 24);
    expect(sumOf(byTelemetry, 'sluice_store_duration_count', { sluice_store: 'redis' })).toBeGreaterThan(0);
    expect(sumOf(byTelemetry, 'sluice_store_errors_total', { sluice_store: 'absent' })).toBeGreaterThan(0);
  });
});

/** Sums of durations were added in another order of additions. */
function isSame(a: number | undefined, b: number): boolean {
  return a !== undefined && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
}
