/** If very many values expire at the same time, their removal is spread over later insertions. */
const MOST_AT_ONCE = 16;

/** Remembers values by id for a while, at most `most` of them. If there are more, the oldest are dropped. */
export class ExpiringMap<Value> {
  readonly #most: number;
  readonly #values = new Map<string, { value: Value; untilMs: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  recall(id: string, nowMs: number): Value | undefined {
    const found = this.#values.get(id);
    return found && nowMs < found.untilMs ? found.value : undefined;
  }

  remember(id: string, value: Value, untilMs: number, nowMs: number): void {
    this.#values.delete(id);
    let left = MOST_AT_ONCE;
    for (const [oldest, { untilMs: endMs }] of this.#values) {
      if ((nowMs < endMs || left === 0) && this.#values.size < this.#most) break;
      this.#values.delete(oldest);
      left -= 1;
    }
    this.#values.set(id, { value, untilMs });
  }
}
