/** If very many values expire at the same time, their removal is spread over later insertions. */
const MOST_AT_ONCE = 16;

interface Kept<Value> {
  readonly id: string;
  readonly value: Value;
  readonly untilMs: number;
}

/** Remembers values by id for a while, at most `most` of them. If there are more, the oldest are dropped. */
export class ExpiringMap<Value> {
  readonly #most: number;
  readonly #values = new Map<string, Kept<Value>>();
  /** By their ids; the values that have expired are among them. */
  readonly kept: ReadonlyMap<string, Kept<Value>> = this.#values;
  /** Goes on from the oldest value. A new iterator for each step would pass all the places of values that were dropped before. */
  #inOrder = this.#values.values();
  #oldest: Kept<Value> | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  recall(id: string, nowMs: number): Value | undefined {
    const found = this.#values.get(id);
    return found && nowMs < found.untilMs ? found.value : undefined;
  }

  remember(id: string, value: Value, untilMs: number, nowMs: number): void {
    this.#values.delete(id);
    for (let left = MOST_AT_ONCE; ; left -= 1) {
      const oldest = this.#findOldest();
      if (!oldest || ((nowMs < oldest.untilMs || left <= 0) && this.#values.size < this.#most)) break;
      this.#values.delete(oldest.id);
    }
    this.#values.set(id, { id, value, untilMs });
  }

  #findOldest(): Kept<Value> | undefined {
    while (!this.#oldest || this.#values.get(this.#oldest.id) !== this.#oldest) {
      const { done, value } = this.#inOrder.next();
      if (!done) this.#oldest = value;
      else {
        // Everything that it has passed is gone. An iterator that has ended stays so.
        this.#inOrder = this.#values.values();
        this.#oldest = undefined;
        return undefined;
      }
    }
    return this.#oldest;
  }
}
