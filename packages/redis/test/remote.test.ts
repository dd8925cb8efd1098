import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/core/testing';
import type { Redis } from 'ioredis';
import { FreshStore } from '../../core/test/stores/remote/fresh-store.js';
import { RedisStore } from '../src/index.js';
import { withRedis } from './with-redis.js';

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
  { describe, it },
  (clock) => new FreshStore(new RedisStore({ client, clock, timeout: '5s' })),
);
