import { createLimiter, fixedWindow, LeasedStore, ShardedStore, type Store, SyncedStore } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import type { Contender } from '../../contender.js';

/** Longer than any answer takes on a busy machine. */
const TIMEOUT = '10s';
const INSTANCES = 4;
/** What a synced process admits untold. */
export const SLICE = 1_000;

const redisStore = (client: Redis, prefix?: string): Store<true> =>
  new RedisStore({ client, timeout: TIMEOUT, instances: INSTANCES, ...(prefix !== undefined && { prefix }) });

/** Each under a name of its own, since they may count in one Redis. */
const over =
  (name: string, storeOf: (client: Redis) => Store<true>): Contender<[Redis]> =>
  ({ limit, windowMs }, client) => {
    const store = storeOf(client);
    const limiter = createLimiter<string, true>({ name, limit: fixedWindow({ limit, window: windowMs }), store });
    return {
      isAsync: true,
      async decide(key, answer) {
        const { source, allowed, tightest, retryAfterMs } = await limiter.consume(key);
        if (source !== 'store') throw new Error(`Not the store has answered, but ${source}`);
        answer.allowed = allowed;
        answer.limit = tightest.limit.quota;
        answer.remaining = tightest.remaining;
        answer.resetMs = tightest.resetAfterMs;
        answer.retryMs = retryAfterMs;
      },
      close: () => store.close(),
    };
  };

export const STRICT = 'Sluice, strict';

/** Ways to count one key that all processes share, in the order of tables. */
export const SHARED_KEY_CONTENDERS: ReadonlyMap<string, Contender<[Redis]>> = new Map([
  [STRICT, over('strict', (client) => redisStore(client))],
  [
    'Sluice, sharded',
    over(
      'sharded',
      (client) => new ShardedStore({ nodes: { a: redisStore(client, 'a:'), b: redisStore(client, 'b:') } }),
    ),
  ],
  ['Sluice, leased', over('leased', (client) => new LeasedStore({ store: redisStore(client) }))],
  ['Sluice, synced', over('synced', (client) => new SyncedStore({ store: redisStore(client), slice: SLICE }))],
]);
