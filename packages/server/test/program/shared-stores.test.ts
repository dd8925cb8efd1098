import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { until } from '@sluice/test-kit/until';
import { createLog } from '../../src/program/log.js';
import { DEFAULT_OPTIONS, DEFAULT_STORE, type StoreOptions } from '../../src/program/options/server-options.js';
import type { StoreAddress } from '../../src/program/options/store-address.js';
import type { RunningServer } from '../../src/program/running-server.js';
import { startServer } from '../../src/program/start-server.js';

const READ = 'a-token-that-may-read';
const WRITE = 'a-token-that-may-write';
const FILE = 'version: 1\npolicies: { api: { limits: [{ name: day, limit: 5, window: 1d }] } }\n';
const DEGRADED = 'the store cannot be used: the service starts degraded, and each instance counts by itself';

let folder: string;
let postgres: PostgresServer;
const lines: string[] = [];
const log = createLog('info', { write: (line) => lines.push(line) });
const running: RunningServer[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-shared-stores-'));
  writeFileSync(join(folder, 'sluice.yaml'), FILE);
  symlinkSync(folder, join(folder, 'link'));
  postgres = await PostgresServer.start();
  await postgres.pool().query('CREATE DATABASE other');
}, 180_000);

afterEach(async () => {
  await stopAll();
  lines.length = 0;
});

afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 180_000);

const stopAll = (): Promise<unknown> => Promise.all(running.splice(0).map((server) => server.close()));

/** With a password that nobody needs: it must not be in the log. */
const inPostgres = (database: string): StoreAddress => ({
  kind: 'postgres',
  place: `postgres://sluice:sesame@127.0.0.1:${postgres.port}/${database}`,
});

/** One process may not have two stores of one path. */
const throughLink = ({ kind, place }: StoreAddress): StoreAddress =>
  kind === 'sqlite' ? { kind, place: place.replace(folder, join(folder, 'link')) } : { kind, place };

const inFile = (...path: readonly string[]): StoreAddress => ({ kind: 'sqlite', place: join(folder, ...path) });

async function start(address: StoreAddress, store: Partial<StoreOptions> = {}): Promise<RunningServer> {
  const server = await startServer(
    {
      ...DEFAULT_OPTIONS,
      ...{ file: join(folder, 'sluice.yaml'), port: 0, grpcPort: 0, adminPort: 0 },
      ...{ secrets: ['a-secret-of-all-instances'], readTokens: [READ], writeTokens: [WRITE] },
      // A machine that is busy with other tests may need longer than the usual 50 ms.
      store: { ...DEFAULT_STORE, address, timeoutMs: 10_000, ...store },
    },
    log,
  );
  running.push(server);
  return server;
}

async function decide({ ports }: RunningServer, address: string, times = 1): Promise<number[]> {
  const url = `http://127.0.0.1:${ports.traffic}/v1/forward-auth/api`;
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1)
    statuses.push((await fetch(url, { headers: { 'X-Forwarded-For': address } })).status);
  return statuses;
}

async function verbose({
  ports,
}: RunningServer): Promise<{ readonly degraded: readonly string[]; readonly ready: boolean }> {
  const headers = { Authorization: `Bearer ${READ}` };
  return (await fetch(`http://127.0.0.1:${ports.admin}/readyz?verbose`, { headers })).json() as never;
}

const messages = (): string[] => lines.map((line) => JSON.parse(line).msg);

describe.each<[name: string, address: () => StoreAddress]>([
  ['postgres', () => inPostgres('postgres')],
  ['sqlite', () => inFile('limits.db')],
])('instances over one store: %s', (name, address) => {
  it('make its table, count together, and count on after a restart', async () => {
    const [one, two] = [await start(address()), await start(throughLink(address()))];
    expect(await verbose(one)).toMatchObject({ ready: true, degraded: [] });
    expect(await decide(one, '192.0.2.1', 2)).toEqual([204, 204]);
    expect(await decide(two, '192.0.2.1', 2)).toEqual([204, 204]);
    await stopAll();
    const again = await start(address());
    expect(await decide(again, '192.0.2.1', 2)).toEqual([204, 429]);
    const headers = { Authorization: `Bearer ${READ}` };
    const metrics = await (await fetch(`http://127.0.0.1:${again.ports.admin}/metrics`, { headers })).text();
    expect(metrics).toMatch(new RegExp(`^sluice_store_duration_seconds_count\\{[^}]*store="${name}"`, 'm'));
  });

  it('have all a block that one of them sets, and each an enforcement of its own', async () => {
    const [one, two] = [await start(address()), await start(throughLink(address()))];
    const response = await fetch(`http://127.0.0.1:${one.ports.admin}/v1/admin/block`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${WRITE}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ policy: 'api', key: '192.0.2.2', for: '1h', reason: 'a flood' }),
    });
    expect(response.status).toBe(200);
    expect(await decide(two, '192.0.2.2')).toEqual([429]);
    await one.service.live.setEnforcement('shadow', { for: '1h', by: 'ann', reason: 'a trial' });
    expect(await decide(one, '192.0.2.2')).toEqual([204]);
    expect(await decide(two, '192.0.2.2')).toEqual([429]);
  });
});

describe.each<[name: string, address: () => StoreAddress, come: () => unknown, reason: RegExp]>([
  ['postgres', () => inPostgres('other'), () => postgres.run(), /^postgres: PostgreSQL did not answer within 5000 ms/],
  [
    'sqlite',
    () => inFile('later', 'limits.db'),
    () => mkdirSync(join(folder, 'later')),
    /^sqlite: .* cannot be opened/,
  ],
])('a store that cannot be used at the start: %s', (name, address, come, reason) => {
  it('leaves the service degraded until it can be used, or ends the start if it is required', async () => {
    if (name === 'postgres') await postgres.kill();
    const [server] = await Promise.all([
      start(address(), { instances: 5 }),
      expect(start(throughLink(address()), { isRequired: true })).rejects.toMatchObject({ code: 'SLUICE_STORE' }),
    ]);
    expect(messages().filter((message) => message === DEGRADED)).toHaveLength(1);
    expect(await verbose(server)).toEqual(
      expect.objectContaining({ ready: true, degraded: [expect.stringMatching(reason)] }),
    );
    expect(await decide(server, '192.0.2.3', 2)).toEqual([204, 429]);
    await come();
    await until(() => messages().includes('the store can be used'), 20);
    await until(async () => (await verbose(server)).degraded.length === 0, 20);
    const other = await start(throughLink(address()));
    expect(await decide(server, '192.0.2.4', 3)).toEqual([204, 204, 204]);
    expect(await decide(other, '192.0.2.4', 3)).toEqual([204, 204, 429]);
    expect(lines.join('')).not.toMatch(/sesame|192\.0\.2\./);
  }, 60_000);
});
