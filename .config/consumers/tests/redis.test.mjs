import assert from 'node:assert/strict';
import test from 'node:test';
import { createLimiter } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';

test('The Redis store counts in the process where there is no Redis', async () => {
  const client = new Redis({ port: 1, retryStrategy: () => null });
  client.on('error', () => {});
  const store = new RedisStore({ client });
  const limiter = createLimiter({ limit: 1, window: '1m', store });
  assert.equal((await limiter.consume('ann')).source, 'local');
  assert.equal((await limiter.consume('ann')).allowed, false);
  await store.close();
  client.disconnect();
});
