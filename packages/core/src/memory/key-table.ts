import type { Algorithm } from '../algorithms/index.js';
import { getOrMake } from '../get-or-make.js';
import type { Check, Target } from '../store.js';

/** A table of many thousand keys is several smaller ones, so that none takes long when it has to grow or shrink. */
const SHARDS = 256;

/** The keys of one limit under one algorithm; tables are made when they are needed. */
type Series<Value> = (Map<string, Value> | undefined)[];

/**
 * Values by policy, limit name, algorithm and key. A limit's numbers are no part of it: they may change, and what was
 * spent stays.
 */
export class KeyTable<Value> {
  readonly #policies = new Map<string, Map<string, Map<string, Series<Value>>>>();

  get({ policy, name, limit, key }: Check): Value | undefined {
    return this.#policies.get(policy)?.get(name)?.get(limit.algorithm)?.[shardOf(key)]?.get(key);
  }

  set({ policy, name, limit, key }: Check, value: Value): void {
    const names = getOrMake(this.#policies, policy, () => new Map<string, Map<string, Series<Value>>>());
    const algorithms = getOrMake(names, name, () => new Map<string, Series<Value>>());
    const series = getOrMake(algorithms, limit.algorithm, (): Series<Value> => new Array(SHARDS));
    const shard = shardOf(key);
    series[shard] ??= new Map();
    series[shard].set(key, value);
  }

  delete({ policy, name, key }: Target, algorithm: Algorithm): void {
    this.#policies.get(policy)?.get(name)?.get(algorithm)?.[shardOf(key)]?.delete(key);
  }

  /** What stands under this key in every algorithm. */
  *all({ policy, name, key }: Target): Generator<Value> {
    for (const series of this.#policies.get(policy)?.get(name)?.values() ?? []) {
      const value = series[shardOf(key)]?.get(key);
      if (value !== undefined) yield value;
    }
  }

  clear(): void {
    this.#policies.clear();
  }
}

/** Keys differ mostly at their ends. Uneven shards would cost time, never an answer. */
function shardOf(key: string): number {
  let mixed = key.length;
  for (let i = Math.max(0, key.length - 6); i < key.length; i += 1) mixed = (mixed * 31 + key.charCodeAt(i)) | 0;
  return (mixed ^ (mixed >>> 12)) & (SHARDS - 1);
}
