import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { createSentinel } from 'redis';
import type { NodeRedisClient } from '../../src/index.js';
import { Successor } from '../successor.js';
import { IS_FULL, newStore, suiteOver } from './over-client.js';

let server: RedisServer;
let successor: Successor;
let client: NodeRedisClient & { destroy(): Promise<void> };

beforeAll(async () => {
  server = await RedisServer.start();
  successor = await Successor.of(server);
  const { name, host, port } = successor.sentinel;
  const sentinel = createSentinel({ name, sentinelRootNodes: [{ host, port }] });
  sentinel.on('error', () => {});
  await sentinel.connect();
  client = sentinel;
}, 180_000);

afterAll(async () => {
  await client.destroy();
  await successor.stop();
  await server.stop();
});

if (IS_FULL) suiteOver(() => client);

it('over Sentinel of node-redis, a limit holds', async () => {
  const store = newStore(client);
  await store.ready();
  const limiter = createLimiter({ limit: 5, window: '1h', store });
  const decisions = await Promise.all(Array.from({ length: 8 }, () => limiter.consume('ann')));
  expect(decisions.map(({ source }) => source)).toEqual(decisions.map(() => 'store'));
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
  await store.close();
});
