const EVERY_MS = 5;

/**
 * Measures the longest time that the event loop stood still since this was made. The histogram of Node begins with the first turn
 * that it sees, so it misses a process that does not get a processor at the beginning.
 */
export class LoopDelay {
  readonly #timer = setInterval(() => this.#note(), EVERY_MS).unref();
  #lastMs = performance.now();
  #longestMs = 0;

  get longestMs(): number {
    this.#note();
    return this.#longestMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #note(): void {
    const nowMs = performance.now();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }
}
