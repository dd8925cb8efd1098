import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { redisProgram } from '@sluice/test-kit/redis/redis-program';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';

const REAL = redisProgram();
const { SLUICE_TEST_REDIS } = process.env;

/** Children and connections that are still open, which would keep a process alive: a closed one is gone some turns later. */
async function leftOpen(): Promise<string[]> {
  const open = (): string[] => process.getActiveResourcesInfo().filter((kind) => /Process|TCP/.test(kind));
  for (let tries = 0; open().length > 0 && tries < 1000; tries += 1) await new Promise((done) => setTimeout(done, 10));
  return open();
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-bin-'));
});

afterEach(() => {
  if (SLUICE_TEST_REDIS === undefined) delete process.env.SLUICE_TEST_REDIS;
  else process.env.SLUICE_TEST_REDIS = SLUICE_TEST_REDIS;
  rmSync(folder, { recursive: true });
});

/** Puts a script in the place of the server program. */
function program(script: string): void {
  const path = join(folder, 'redis-server');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  process.env.SLUICE_TEST_REDIS = path;
}

it('a server whose port is taken tells so, and is not mistaken for the one that has the port', async () => {
  const first = await RedisServer.start();
  try {
    await expect(RedisServer.start(['--port', `${first.port}`])).rejects.toThrow('Address already in use');
  } finally {
    await first.stop();
  }
  expect(await leftOpen()).toEqual([]);
});

it('a server that fails at first is started again', async () => {
  program(`mkdir '${folder}/failed' 2>/dev/null && exit 1\nexec '${REAL}' "$@"`);
  const server = await RedisServer.start();
  const client = new Redis(server.port);
  expect(await client.ping()).toBe('PONG');
  client.disconnect();
  await server.stop();
});

it.each<[string, () => Promise<unknown>]>([
  ['several servers', () => RedisServer.startAll(3)],
  ['a cluster', () => RedisCluster.start()],
])('%s of which one does not start leave nothing running', async (_, start) => {
  program(`mkdir "${folder}/only" 2>/dev/null || exit 1\nexec '${REAL}' "$@"`);
  await expect(start()).rejects.toThrow('A server has ended');
  expect(readdirSync(folder)).toContain('only');
  expect(await leftOpen()).toEqual([]);
});

it('a free port is none that the system gives to connections', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(ports.filter((port) => port < 20_000 || port >= 32_768)).toEqual([]);
});
