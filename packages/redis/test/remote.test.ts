import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { FreshStore } from '@sluice/test-kit/fresh-store';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

// As every policy asks it: the wrapper adds a deadline, a breaker and a time after which nothing is charged, and changes no answer.
storeSuite(
  'RedisStore behind its deadline and breaker',
  async (clock) => {
    await client.flushall();
    return new FreshStore(new RedisStore({ client, clock, timeout: '5s' }));
  },
  EVERYTHING,
  {
    describe,
    it,
    beside: (clock) => new FreshStore(new RedisStore({ client, clock, timeout: '5s' })),
    peeks: PEEKS_OF_SHARED_CODE,
  },
);
