const { createLimiter } = require('@sluice/core');
const { RedisStore } = require('@sluice/redis');
const { Redis } = require('ioredis');

test('The Redis store counts in the process where there is no Redis', async () => {
  const client = new Redis({ port: 1, retryStrategy: () => null });
  client.on('error', () => {});
  const store = new RedisStore({ client });
  const limiter = createLimiter({ limit: 1, window: '1m', store });
  expect((await limiter.consume('ann')).source).toBe('local');
  expect((await limiter.consume('ann')).allowed).toBe(false);
  await store.close();
  client.disconnect();
});
