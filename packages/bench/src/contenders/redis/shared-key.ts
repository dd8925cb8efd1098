import { createLimiter, fixedWindow, type Store } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import type { Contender } from '../../contender.js';
import { deciderOf, TIMEOUT } from './sluice.js';

/** How many share the key. */
export const PROCESSES = 4;
/** The most units that a synced process admits before it synchronizes. */
export const SLICE = 1_000;

const redisStore = (client: Redis, prefix?: string): Store<true> =>
  new RedisStore({ client, timeout: TIMEOUT, instances: PROCESSES, ...(prefix !== undefined && { prefix }) });

/** Each under a name of its own, since they may count in one Redis. */
const over =
  (name: string, storeOf: (client: Redis) => Store<true>): Contender<[Redis]> =>
  ({ limit, windowMs }, client) => {
    const store = storeOf(client);
    return deciderOf(
      createLimiter<string, true>({ name, limit: fixedWindow({ limit, window: windowMs }), store }),
      store,
    );
  };

/** The one that asks Redis each time, which the others are held beside. */
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
