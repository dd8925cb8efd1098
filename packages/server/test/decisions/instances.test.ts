import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { createLog } from '../../src/program/log.js';
import { DEFAULT_OPTIONS, DEFAULT_STORE } from '../../src/program/options/server-options.js';
import type { RunningServer } from '../../src/program/running-server.js';
import { startServer } from '../../src/program/start-server.js';

const INSTANCES = 3;

const FILE = 'version: 1\npolicies: { api: { limits: [{ name: day, limit: 100, window: 1d }], onStoreError: deny } }\n';

let redis: RedisServer;
let folder: string;
let servers: readonly RunningServer[];

beforeAll(async () => {
  redis = await RedisServer.start();
  folder = mkdtempSync(join(tmpdir(), 'sluice-instances-'));
  const file = join(folder, 'sluice.yaml');
  writeFileSync(file, FILE);
  const options = {
    ...DEFAULT_OPTIONS,
    file,
    port: 0,
    grpcPort: 0,
    adminPort: 0,
    secrets: ['a-secret-of-all-instances'],
    // A machine that is busy with other tests may need longer than the usual 50 ms.
    store: {
      ...DEFAULT_STORE,
      address: { kind: 'redis', place: `redis://127.0.0.1:${redis.port}` } as const,
      instances: INSTANCES,
      timeoutMs: 10_000,
    },
  };
  const log = createLog('error', { write: () => {} });
  servers = await Promise.all(Array.from({ length: INSTANCES }, () => startServer(options, log)));
});

afterAll(async () => {
  await Promise.all(servers?.map((server) => server.close()) ?? []);
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: what it is, the tests say
async function post(server: number, path: string, body: object): Promise<any> {
  const port = servers[server % INSTANCES]?.ports.traffic;
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return response.json();
}

const ask = (server: number, address: string, more: object = {}) =>
  post(server, '/v1/decisions', { policy: 'api', request: { address }, ...more });

async function left(address: string): Promise<number> {
  const { verdicts } = await ask(1, address, { kind: 'peek' });
  return verdicts[0].remaining;
}

describe('several instances over one Redis', () => {
  it('correct what another one has reserved: once, however many are asked at the same time', async () => {
    const address = '192.0.2.1';
    const { reservation } = await ask(0, address, { kind: 'reserve', cost: 20 });
    expect(await left(address)).toBe(80);
    const corrections = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        i % 2 === 0
          ? post(i, `/v1/reservations/${reservation.token}/settle`, { actual: 5 })
          : post(i, `/v1/reservations/${reservation.token}/cancel`, {}),
      ),
    );
    const results = corrections.map(({ result }) => result);
    expect(results.filter((result) => result === 'applied')).toHaveLength(1);
    expect(results.filter((result) => result === 'repeated')).toHaveLength(23);
    expect([95, 100]).toContain(await left(address));
  });

  it('charge a named operation once, whichever of them is asked, and settle it by any of its tokens', async () => {
    const address = '192.0.2.2';
    const asked = await Promise.all(
      Array.from({ length: 9 }, (_, i) => ask(i, address, { kind: 'reserve', cost: 10, id: 'order-17' })),
    );
    expect(asked.map(({ allowed }) => allowed)).toEqual(Array(9).fill(true));
    expect(await left(address)).toBe(90);
    const tokens = asked.map(({ reservation }) => reservation.token);
    expect(new Set(tokens).size).toBe(9);
    const results = await Promise.all(
      tokens.map((token, i) => post(i + 1, `/v1/reservations/${token}/settle`, { actual: 1 })),
    );
    expect(results.filter(({ result }) => result === 'applied')).toHaveLength(1);
    expect(await left(address)).toBe(99);
  });

  it('admit a limit together, in lists that come at the same time', async () => {
    const one = { policy: 'api', request: { address: '192.0.2.3' } };
    const lists = await Promise.all(Array.from({ length: 6 }, (_, i) => post(i, '/v1/decisions', Array(40).fill(one))));
    expect(lists.flat().filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(lists.flat().filter(({ source }) => source !== 'store')).toEqual([]);
  });
});
