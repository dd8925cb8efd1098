import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';
import { createLog } from '../../src/program/log.js';
import { DEFAULT_OPTIONS, DEFAULT_STORE } from '../../src/program/options/server-options.js';
import type { RunningServer } from '../../src/program/running-server.js';
import { startServer } from '../../src/program/start-server.js';

const READ = 'a-token-that-may-read';
const FILE = 'version: 1\npolicies: { api: { limits: [{ name: day, limit: 100, window: 1d }] } }\n';

let redis: RedisServer;
let folder: string;
let server: RunningServer;
const lines: string[] = [];
const log = createLog('info', { write: (line) => lines.push(line) });

beforeAll(async () => {
  redis = await RedisServer.start();
  folder = mkdtempSync(join(tmpdir(), 'sluice-lost-redis-'));
  const file = join(folder, 'sluice.yaml');
  writeFileSync(file, FILE);
  const ports = { port: 0, grpcPort: 0, adminPort: 0 };
  // A password that nobody needs: it must not be in the log.
  const url = `redis://default:sesame@127.0.0.1:${redis.port}`;
  server = await startServer(
    {
      ...DEFAULT_OPTIONS,
      ...ports,
      file,
      secrets: ['a-secret-of-all-instances'],
      readTokens: [READ],
      store: { ...DEFAULT_STORE, address: { kind: 'redis', place: url }, instances: 4 },
    },
    log,
  );
});

afterAll(async () => {
  await server?.close();
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const get = (port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers });

const decide = (ip: string): Promise<Response> =>
  get(server.ports.traffic, '/v1/forward-auth/api', { 'X-Forwarded-For': ip });

async function degraded(): Promise<readonly string[]> {
  const response = await get(server.ports.admin, '/readyz?verbose', { Authorization: `Bearer ${READ}` });
  return ((await response.json()) as { degraded: readonly string[] }).degraded;
}

const messages = (): string[] => lines.map((line) => JSON.parse(line).msg);

describe('an instance whose Redis hangs', () => {
  it('stays ready, shows that it is degraded, counts by itself, and is well again afterwards', async () => {
    expect((await decide('192.0.2.1')).status).toBe(204);
    expect(await degraded()).toEqual([]);

    await redis.freeze();
    await until(async () => {
      expect((await decide('192.0.2.2')).status).toBe(204);
      return (await degraded()).length > 0;
    });
    expect(await degraded()).toContainEqual(expect.stringMatching(/^redis: .*[a-z]/));
    expect((await get(server.ports.traffic, '/readyz')).status).toBe(200);
    // Each of four instances admits a quarter.
    const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await decide('192.0.2.3')).status));
    expect(statuses.filter((status) => status === 204)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);

    await redis.thaw();
    await until(async () => (await degraded()).length === 0, 20);
    // More than an instance admits by itself.
    const after = await Promise.all(Array.from({ length: 30 }, async () => (await decide('192.0.2.4')).status));
    expect(after.filter((status) => status === 204)).toHaveLength(30);
  });

  it('logs when it begins and when it ends, without keys and passwords', () => {
    expect(messages()).toContain('the store does not answer: onStoreError of each policy decides');
    expect(messages()).toContain('the store answers again');
    expect(lines.join('')).not.toMatch(/192\.0\.2\.|sesame|secret-of|token-that/);
  });

  it('is degraded while it cannot read the kill switch, because an operator would throw it in vain', async () => {
    const client = new Redis({ port: redis.port });
    await client.set('sluice:controls', 'no hash');
    await client.publish('sluice:controls', '');
    await until(async () => (await degraded()).length > 0);
    expect(await degraded()).toEqual([expect.stringMatching(/^controls: the kill switch cannot be read: WRONGTYPE/)]);
    await client.del('sluice:controls');
    await client.publish('sluice:controls', '');
    await until(async () => (await degraded()).length === 0);
    client.disconnect();
  });
});
