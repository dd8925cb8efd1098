import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { RedisStore } from '../src/index.js';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

const options = { enableAutoPipelining: true, keyPrefix: 'app:' };

it.each([
  ['6', () => new Redis({ ...server.nearest, ...options })],
  // The two versions share what is used here, but not their types.
  ['5', () => new Redis5({ ...server.nearest, ...options }) as unknown as Redis],
])('A client of ioredis %s that pipelines by itself decides and corrects', async (version, connect) => {
  const client = connect();
  const store = new RedisStore({ client, prefix: `v${version}:`, timeout: '20s' });
  await store.ready();
  const limiter = createLimiter({ name: 'piped', limit: 5, window: '1h', store });
  const decisions = await Promise.all(Array.from({ length: 8 }, () => limiter.consume('ann')));
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']));
  expect((await limiter.refund('ann', { cost: 2 })).tightest.remaining).toBe(2);
  await store.close();
  await client.quit();
});
