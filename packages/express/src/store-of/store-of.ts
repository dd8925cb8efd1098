// Why it is so: core/docs/why/other-databases.md

import type { Store } from '@sluice/core';
import { optionError } from '@sluice/core/values';
import type { ExpressRateLimitStore } from './express-rate-limit-store.js';
import { HitStore, type StoreOfOptions } from './hit-store.js';

const stores = new WeakMap<ExpressRateLimitStore, Store<true>>();

/**
 * Lets Sluice use a store for express-rate-limit: `rate-limit-redis`, `rate-limit-memcached`,
 * `@acpr/rate-limit-postgresql` and others. It counts policies with one limit: a fixed window that begins with the
 * first request, and a cost of 1. Other policies are refused when they are made. Several policies can share the store
 * if their windows have the same length.
 *
 * The protocol counts refused requests, and has no deadlines: a request that was decided without the late store may
 * still be counted. Both err on the strict side.
 *
 * If the store fails or is late, `onStoreError` decides. `close` calls its `shutdown`.
 *
 * @param store - the same store always gives the same result, so its policies need different names
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = storeOf(new RedisStore({ sendCommand: (...args) => client.sendCommand(args) }));
 * app.use(rateLimit({ limit: fixedWindow({ limit: 100, window: '1m' }), store }));
 */
export function storeOf(store: ExpressRateLimitStore, options?: StoreOfOptions): Store<true> {
  checkStore(store);
  const known = stores.get(store);
  if (known && options === undefined) return known;
  if (known) throw optionError('options', 'can be set once for a store: keep the result of storeOf()', options);
  const made = new HitStore(store, options ?? {}, () => stores.delete(store));
  stores.set(store, made);
  return made;
}

const METHODS = ['increment', 'decrement', 'resetKey'] as const;

function checkStore(store: unknown): void {
  const methods = Object(store) as Partial<ExpressRateLimitStore>;
  const missing = METHODS.filter((method) => typeof methods[method] !== 'function');
  if (missing.length === 0) return;
  const calls = missing.map((method) => `${method}(key)`).join(', ');
  throw optionError('store', `must be a store for express-rate-limit 6 or later, which has ${calls}`, store);
}
