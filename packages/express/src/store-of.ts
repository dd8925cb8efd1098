import type { Store } from '@sluice/core';
import { optionError } from '@sluice/core/store';
import type { ExpressRateLimitStore } from './express-rate-limit-store.js';
import { HitStore, type StoreOfOptions } from './hit-store.js';

const stores = new WeakMap<ExpressRateLimitStore, Store<true>>();

/**
 * Lets a store for express-rate-limit serve Sluice: `rate-limit-redis`, `rate-limit-memcached`,
 * `@acpr/rate-limit-postgresql` and others. It counts policies of one limit, a fixed window that begins with the first
 * request, at a cost of 1; all other policies are refused when they are made. Several policies may share it if their
 * windows are equally long.
 *
 * The protocol counts requests that are refused, and has no deadlines: a request that was answered without the store, since
 * that was late, may have been counted. Both err towards strict.
 *
 * A store that fails or is late is answered for by `onStoreError`. `close` calls its `shutdown`.
 *
 * @param store - the same one gives the same answer, so that policies on it are told apart by their names.
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = storeOf(new RedisStore({ sendCommand: (...args) => client.sendCommand(args) }));
 * app.use(rateLimit({ limit: fixedWindow({ limit: 100, window: '1m' }), store }));
 */
export function storeOf(store: ExpressRateLimitStore, options?: StoreOfOptions): Store<true> {
  checkStore(store);
  const known = stores.get(store);
  if (known && options === undefined) return known;
  if (known) throw optionError('options', 'can be given once for a store: keep what storeOf() returned', options);
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
