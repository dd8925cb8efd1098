/** Caches a value for two objects together, as long as both live. */
export class PairCache<V> {
  readonly #values = new WeakMap<object, WeakMap<object, V>>();

  /** Returns the value of this pair. The first call creates it. */
  of(one: object, other: object, make: (one: object, other: object) => V): V {
    let values = this.#values.get(one);
    if (values === undefined) {
      values = new WeakMap();
      this.#values.set(one, values);
    }
    let value = values.get(other);
    if (value === undefined) {
      value = make(one, other);
      values.set(other, value);
    }
    return value;
  }
}
