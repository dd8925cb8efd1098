import { SluiceError } from '../values/error.js';
import { encodeKey, type Key } from '../values/key.js';
import type { Limit } from '../values/limit.js';
import type { KeySource } from './check-builder.js';
import type { Args, KeyGenerator, Resolvable } from './policy/options.js';
import type { Item, Policy } from './policy/parse.js';

/** The arguments if a key is passed instead of a request. */
export type ByKey = [key: Key];

/** Uses the key that was passed instead of a request. */
export const KEY_ITSELF: KeySource<ByKey> = { defaultKey: (args) => encodeKey(args[0]), keyFor: (key) => key as Key };

/**
 * Returns a policy that counts one key in each of its limits. Functions of the request cannot be called without one, so
 * they throw.
 */
export function policyByKey<A extends Args>({ name, items, onStoreError, timeoutMs }: Policy<A>): Policy<ByKey> {
  return { name, items: items.map(itemByKey), skip: undefined, priority: undefined, onStoreError, timeoutMs };
}

function itemByKey<A extends Args>(item: Item<A>): Item<ByKey> {
  // A key alone does not tell both the tenant and who shares the limit.
  const limit = withoutRequest<A, Limit>(item.guarantee?.part ?? item.limit, item.name);
  const cost = withoutRequest(item.cost, item.name);
  const partition = withoutRequest<A, unknown>(item.partition, item.name) as KeyGenerator<ByKey> | undefined;
  return { ...item, limit, cost, partition, keyGenerators: undefined, isCompoundKey: false, guarantee: undefined };
}

function withoutRequest<A extends Args, T>(value: Resolvable<A, T>, name: string): T | (() => never) {
  if (typeof value !== 'function') return value;
  return () => {
    const message = `the limit ${JSON.stringify(name)} depends on the request: pass the request instead of a key`;
    throw new SluiceError('SLUICE_UNSUPPORTED', message);
  };
}
