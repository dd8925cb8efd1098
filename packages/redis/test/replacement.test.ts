import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { replacementSuite } from '@sluice/test-kit/replacement-suite';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

let prefixes = 0;

replacementSuite('Redis', () => {
  prefixes += 1;
  return new RedisStore({ client, prefix: `replacement-${prefixes}:`, timeout: '1m' });
});
