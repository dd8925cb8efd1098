import { createLimiter, type Limit, type Limiter, type Store } from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import { TIMEOUT } from './sluice.js';

/** The one that asks Redis each time, which the others are held beside. */
export const STRICT = 'strict';

/** Ways to count keys that a fleet shares, with their default options, in the order of tables. */
export const FLEET_STORES: ReadonlyMap<string, (store: Store<true>) => Store<true>> = new Map([
  [STRICT, (store) => store],
  ['leased', (store) => new LeasedStore({ store })],
  ['synced', (store) => new SyncedStore({ store })],
]);

/** One of so many instances of a service. */
export class FleetInstance {
  readonly #client: Redis;
  readonly #redis: RedisStore;
  readonly #store: Store<true>;
  readonly #limiters = new Map<string, Limiter<string, true>>();

  constructor(name: string, client: Redis, instances: number) {
    const storeOf = FLEET_STORES.get(name) as (store: Store<true>) => Store<true>;
    this.#client = client;
    this.#redis = new RedisStore({ client, timeout: TIMEOUT, instances });
    this.#store = storeOf(this.#redis);
  }

  /** Resolves when Redis answers. */
  ready(): Promise<void> {
    return this.#redis.ready({ timeout: '1m' });
  }

  /** Returns the same limiter for a name each time. Instances share its keys. */
  limiterOf(name: string, limit: Limit): Limiter<string, true> {
    const made = this.#limiters.get(name) ?? createLimiter<string, true>({ name, limit, store: this.#store });
    this.#limiters.set(name, made);
    return made;
  }

  async close(): Promise<void> {
    await this.#store.close();
    this.#client.disconnect();
  }
}
