import { getOrCreate } from '../values/get-or-create.js';

/** What was found out about two objects together, for as long as both live. */
export class PairCache<V> {
  readonly #values = new WeakMap<object, WeakMap<object, V>>();

  /** The value for this pair, made when it is asked for the first time. */
  of(one: object, other: object, make: () => V): V {
    const values = getOrCreate(this.#values, one, () => new WeakMap<object, V>());
    return getOrCreate(values, other, make);
  }
}
