/** Values remembered by id for a while, never more than `most` of them: the oldest are forgotten first. */
export class Recent<Value> {
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
    for (const [oldest, { untilMs: endMs }] of this.#values) {
      if (nowMs < endMs && this.#values.size < this.#most) break;
      this.#values.delete(oldest);
    }
    this.#values.set(id, { value, untilMs });
  }
}
