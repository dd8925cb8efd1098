import { SluiceError } from '../values/error.js';
import type { Key } from '../values/key.js';
import type { KeySource } from './check-builder.js';
import type { Args, Resolvable } from './policy/options.js';
import type { Item, Policy } from './policy/parse.js';

/** A key in place of a request. */
export type ByKey = [key: Key];

/** Takes what is asked about for the key that it is. */
export const KEY_ITSELF: KeySource<ByKey> = { defaultKey: (key) => key, keyFor: (key) => key as Key };

/** A policy as it counts one key in each of its limits. Functions of the request cannot be asked, and say so. */
export function policyByKey<A extends Args>({ name, items, onStoreError }: Policy<A>): Policy<ByKey> {
  return { name, items: items.map(itemByKey), skip: undefined, onStoreError };
}

function itemByKey<A extends Args>(item: Item<A>): Item<ByKey> {
  const limit = withoutRequest(item.limit, item.name);
  const cost = withoutRequest(item.cost, item.name);
  return { ...item, limit, cost, keyGenerators: undefined, isCompoundKey: false };
}

function withoutRequest<A extends Args, T>(value: Resolvable<A, T>, name: string): T | (() => never) {
  if (typeof value !== 'function') return value;
  return () => {
    const message = `the limit ${JSON.stringify(name)} depends on the request: ask with that, and not with a key`;
    throw new SluiceError('SLUICE_UNSUPPORTED', message);
  };
}
