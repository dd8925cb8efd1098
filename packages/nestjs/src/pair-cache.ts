/** What was found out about two objects together, for as long as both live. */
export class PairCache<V> {
  readonly #values = new WeakMap<object, WeakMap<object, V>>();

  /** The value for this pair, made when it is asked for the first time. */
  of(one: object, other: object, make: () => V): V {
    let values = this.#values.get(one);
    if (values === undefined) {
      values = new WeakMap();
      this.#values.set(one, values);
    }
    let value = values.get(other);
    if (value === undefined) {
      value = make();
      values.set(other, value);
    }
    return value;
  }
}
