import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compilePolicy, readPolicyFile } from '@sluice/config';
import { MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/express';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { until } from '@sluice/test-kit/until';
import express from 'express';
import type { ReplayResult } from '../../src/replay/replay-result.js';
import { sluice } from '../test-io.js';
import { localTime } from './example/example-log.js';

const REQUESTS = process.env.SLUICE_REPLAY === 'full' ? 5000 : 350;

const POLICIES = `
version: 1
keys:
  customer: { header: x-api-key }
  client: { ip: { ipv6Subnet: 56 } }
tiers:
  free: { minute: { limit: 20, window: 1m } }
  pro: { minute: { limit: 60, window: 1m } }
customers:
  ann: { tier: pro, overrides: { minute: { limit: 30, until: 2026-01-01T00:03:00Z } } }
  bob: { tier: free }
  eve: { block: true, reason: scraping, until: 2026-01-01T00:04:00Z }
policies:
  site:
    key: client
    denyList: [203.0.113.0/30]
    limits: [{ name: burst, algorithm: token-bucket, capacity: 8, refillRate: 1 }]
  api:
    match: { path: /v1/**, methods: [GET] }
    key: customer
    tier: { from: customers, default: free }
    limits:
      - { name: minute, tier: true }
      - { name: five, limit: 70, window: 5m, algorithm: fixed-window, blockDuration: 20s }
      - { name: reads, key: [customer, client], limit: 12, window: 10s, cost: 2 }
`;

const FORMAT = '$remote_addr [$time_local] $msec $request_time "$request" $status "$http_x_api_key"';

interface Traffic {
  readonly atMs: number;
  readonly tookMs: number;
  readonly ip: string;
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
}

/** Requests of several customers and addresses, some in bursts. */
function trafficOf(random: () => number): Traffic[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  let atMs = Date.UTC(2026, 0, 1);
  return Array.from({ length: REQUESTS }, () => {
    // Nobody can tell the order of two requests in one millisecond from a log.
    atMs += 1 + (random() < 0.1 ? Math.floor(random() * 1600) : 0);
    return {
      atMs,
      tookMs: Math.floor(random() ** 4 * 9000),
      ip: `203.0.113.${Math.floor(random() * 14)}`,
      method: pick(['GET', 'GET', 'GET', 'GET', 'POST']),
      path: pick(['/v1/items', '/v1/items?page=2', '/v1', '/v10', '/health']),
      key: pick(['ann', 'bob', 'eve', 'zoe', undefined]),
    };
  });
}

const clock = new ManualClock();
const folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
const agent = new Agent({ keepAlive: true });
let application: Server;

beforeAll(async () => {
  const { file, mistakes } = readPolicyFile(POLICIES);
  if (!file) throw new Error(JSON.stringify(mistakes));
  const app = express();
  app.set('trust proxy', 'loopback');
  const store = new MemoryStore({ clock });
  app.use(rateLimit(compilePolicy(file, 'site', { store })));
  app.get(/^\/v1(\/|$)/, rateLimit(compilePolicy(file, 'api', { store })));
  app.use((_req, res) => void res.send('ok'));
  application = createServer(app).listen(0, '127.0.0.1');
  await until(() => application.listening);
});

afterAll(() => {
  agent.destroy();
  application.close();
  rmSync(folder, { recursive: true });
});

/** Sends a request, and resolves with the status of the answer. */
function send({ ip, method, path, key }: Traffic): Promise<number> {
  const headers = { 'x-forwarded-for': ip, ...(key && { 'x-api-key': key }) };
  const { port } = application.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode as number));
    })
      .on('error', reject)
      .end();
  });
}

async function replay(lines: readonly string[], format: string): Promise<ReplayResult> {
  const log = join(folder, 'access.log');
  const policies = join(folder, 'sluice.yaml');
  writeFileSync(log, `${lines.join('\n')}\n`);
  writeFileSync(policies, POLICIES);
  const { out, err } = await sluice(['replay', policies, log, '--log-format', format, '--json'], { clock });
  expect(err).toBe('');
  return JSON.parse(out) as ReplayResult;
}

describe('the traffic that a live Express application answered', () => {
  const answered: (Traffic & { readonly status: number })[] = [];
  const isRefused = ({ status }: { readonly status: number }): boolean => status !== 200;

  beforeAll(async () => {
    for (const traffic of trafficOf(seededRandom(7))) {
      clock.set(traffic.atMs);
      answered.push({ ...traffic, status: await send(traffic) });
    }
    // Lines are written when requests end.
    answered.sort((a, b) => a.atMs + a.tookMs - (b.atMs + b.tookMs));
  }, 3_600_000);

  it('has refusals of every kind', () => {
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200, 429, 403]));
  });

  it('is refused in the replay exactly where it was refused, if the log has exact times', async () => {
    const lines = answered.map(({ atMs, tookMs, ip, method, path, status, key = '-' }) => {
      const endMs = atMs + tookMs;
      const times = `[${localTime(endMs)}] ${(endMs / 1000).toFixed(3)} ${(tookMs / 1000).toFixed(3)}`;
      return `${ip} ${times} "${method} ${path} HTTP/1.1" ${status} "${key}"`;
    });
    const { requests, refusedAnswers, lines: read, resolutionMs } = await replay(lines, FORMAT);
    const refused = answered.filter(isRefused).length;
    process.stdout.write(
      `replay: ${requests.seen} requests of a live application, ${refused} refused, and in the replay ${requests.refused}, ${refusedAnswers.well} of them others\n`,
    );
    expect(read).toMatchObject({ read: REQUESTS, unparsed: 0, late: 0, notReached: 0 });
    expect(resolutionMs).toBe(1);
    // As many are refused, and none that was answered well: so the same ones.
    expect(requests.refused).toBe(refused);
    expect(refusedAnswers.well).toBe(0);
  });

  it('is refused as often as the replay of whole seconds says, within its range', async () => {
    const byStart = [...answered].sort((a, b) => a.atMs - b.atMs);
    const lines = byStart.map(({ atMs, ip, method, path, status, key = '-' }) => {
      return `${ip} [${localTime(atMs)}] "${method} ${path} HTTP/1.1" ${status} "${key}"`;
    });
    const format = '$remote_addr [$time_local] "$request" $status "$http_x_api_key"';
    const { requests, resolutionMs } = await replay(lines, format);
    const [least, most] = requests.refusedRange as [number, number];
    const refused = answered.filter(isRefused).length;
    process.stdout.write(
      `replay: ${refused} of ${requests.seen} refused live, ${least} to ${most} in a log of whole seconds\n`,
    );
    expect(resolutionMs).toBe(1000);
    expect(least).toBeLessThanOrEqual(refused);
    expect(most).toBeGreaterThanOrEqual(refused);
    // The range is narrow enough to be of use.
    expect(most - least).toBeLessThan(0.1 * requests.seen);
  });
});
