/** How often it looks. A turn of the event loop that takes longer than this is seen. */
const EVERY_MS = 2;

/** Answers that take longer than this are far too late anyway. */
const KEPT_MS = 20_000;

interface Turn {
  readonly endMs: number;
  readonly ms: number;
}

/** Measures the turns of this process's event loop: how long nothing else ran, whether the process computed or had no processor. */
export class Turns {
  readonly #timer = setInterval(() => this.#note(), EVERY_MS);
  #turns: Turn[] = [];
  #lastMs = performance.now();

  /** The longest turn that ended after `sinceMs`, the current one included. */
  longestSince(sinceMs: number): number {
    this.#note();
    let longestMs = 0;
    for (let i = this.#turns.length - 1; i >= 0; i -= 1) {
      const { endMs, ms } = this.#turns[i] as Turn;
      if (endMs < sinceMs) break;
      longestMs = Math.max(longestMs, ms);
    }
    return longestMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #note(): void {
    const endMs = performance.now();
    const ms = endMs - this.#lastMs;
    this.#lastMs = endMs;
    // The others say nothing about a delay.
    if (ms > EVERY_MS) this.#turns.push({ endMs, ms });
    if ((this.#turns[0]?.endMs ?? endMs) < endMs - 2 * KEPT_MS) {
      this.#turns = this.#turns.filter((turn) => turn.endMs > endMs - KEPT_MS);
    }
  }
}
