import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { MemoryStore, slidingWindow, unlimited } from '@sluice/core';
import { rateLimit } from '@sluice/express';
import express from 'express';
import promClient from 'prom-client';
import { openTelemetryMetrics, prometheusMetrics, topRefused } from '../src/index.js';
import { parseText, sumOf } from './parse-text.js';

/** `npm run proof -- metrics` sends a million. */
const REQUESTS = process.env.SLUICE_METRICS === 'full' ? 1_000_000 : 1000;
const TIMEOUT_MS = 3_600_000;
const BATCH = 100;
/** Part of everything that the client makes up. */
const MARK = 'made-up';

const registry = new promClient.Registry();
const exporter = new PrometheusExporter({ preventServerStart: true });
const provider = new MeterProvider({ readers: [exporter] });
const removals = [prometheusMetrics({ registry }), openTelemetryMetrics({ meter: provider.getMeter('sluice') })];
const top = topRefused({ describeKey: (key) => key });

const header = (name: string) => (req: express.Request) => String(req.headers[name]);
const PLANS: Readonly<Record<string, number>> = { free: 1, pro: 5 };

const app = express();
app.use(
  rateLimit({
    name: 'keys',
    store: new MemoryStore({ maxKeys: 1000 }),
    limits: [
      { name: 'key', limit: 1, window: '1h', keyGenerator: header('x-key') },
      { name: 'path', limit: 1, window: '1h', keyGenerator: (req) => req.path, enforce: 0 },
      // The client names its tier, and the names of limits themselves.
      { name: 'tier', limit: (req) => slidingWindow({ limit: PLANS[header('x-tier')(req)] ?? 1, window: '1h' }) },
      { name: 'named', limit: (req) => slidingWindow({ limit: 9, window: '1h', name: header('x-tier')(req) }) },
      { name: 'open', limit: () => unlimited() },
    ],
    skip: (req) => header('x-key')(req).endsWith('7'),
    allowList: ['10.0.0.0/8'],
  }),
);
app.use((_, res) => void res.end());

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  for (const remove of removals) remove();
  top.stop();
  await provider.shutdown();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function requestOf(i: number): string {
  const path = i % 11 === 0 ? `/${MARK}-%00${i}` : `/${MARK}-${i}/${i * 7}`;
  return `${i % 3 === 0 ? 'POST' : 'GET'} ${path}?q=${i} HTTP/1.1\r
host: ${MARK}-${i}.example\r
x-key: ${MARK} key ${i}"\\{}\r
x-tier: ${MARK}-tier-${i}\r
x-${MARK}-${i}: ${i}\r
content-length: 0\r
\r
`;
}

/** Sends requests over one connection, a batch at a time, and returns how many were refused. */
async function send(from: number, count: number): Promise<number> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let refused = 0;
  let answers = 0;
  const until = (most: number) =>
    new Promise<void>((resolve, reject) => {
      socket.removeAllListeners('data').on('data', (text: string) => {
        answers += text.split('HTTP/1.1 ').length - 1;
        refused += text.split('HTTP/1.1 429').length - 1;
        if (answers >= most) resolve();
      });
      socket.once('error', reject).once('close', reject);
    });
  for (let i = 0; i < count; i += BATCH) {
    const answered = until(i + BATCH);
    socket.write(Array.from({ length: BATCH }, (_, index) => requestOf(from + i + index)).join(''));
    await answered;
    socket.removeAllListeners('error').removeAllListeners('close');
  }
  socket.destroy();
  return refused;
}

async function pointsOfTelemetry(): Promise<number> {
  const { resourceMetrics } = await exporter.collect();
  return resourceMetrics.scopeMetrics
    .flatMap(({ metrics }) => metrics)
    .reduce((sum, { dataPoints }) => sum + dataPoints.length, 0);
}

describe('a client that makes up keys, paths, headers and tiers', () => {
  it(
    'adds no series, and none of its words is shown',
    async () => {
      await send(0, BATCH);
      const series = parseText(await registry.metrics());
      const points = await pointsOfTelemetry();
      await send(BATCH, REQUESTS - BATCH);
      const text = await registry.metrics();
      const now = parseText(text);
      expect([...now.keys()]).toEqual([...series.keys()]);
      expect(await pointsOfTelemetry()).toBe(points);
      expect(text).not.toContain(MARK);
      const skipped = sumOf(now, 'sluice_skipped_total', { policy: 'keys' });
      expect(sumOf(now, 'sluice_decisions_total', { policy: 'keys' }) + skipped).toBe(REQUESTS);
      expect(now.get('sluice_store_keys{store="memory"}')).toBeLessThanOrEqual(1000);
      expect(top.list().length).toBeLessThanOrEqual(100);
      process.stdout.write(
        `metrics: ${REQUESTS} requests with made-up keys, paths, headers and tiers added 0 series to ${now.size}\n`,
      );
    },
    TIMEOUT_MS,
  );
});
