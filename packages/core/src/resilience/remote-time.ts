import type { Clock } from '../clock.js';

/** Time differences are remembered for one to two of these. */
const SPAN_MS = 1000;

/**
 * A remote store's time, estimated from its replies. A reply tells the time at which it was given and comes later by an unknown delay, so
 * the estimate is never ahead of the store's time; the quickest reply of the last second or two tells most.
 */
export class RemoteTime {
  readonly #clock: Clock;
  #spanStartMs = 0;
  #best: number | undefined;
  #previousBest: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  heard(atMs: number): void {
    const nowMs = this.#clock.now();
    const aheadMs = atMs - nowMs;
    if (this.#best === undefined || nowMs >= this.#spanStartMs + SPAN_MS || nowMs < this.#spanStartMs) {
      this.#previousBest = this.#best;
      this.#best = aheadMs;
      this.#spanStartMs = nowMs;
    } else {
      this.#best = Math.max(this.#best, aheadMs);
    }
  }

  /** Undefined before the first reply. */
  now(): number | undefined {
    if (this.#best === undefined) return undefined;
    return this.#clock.now() + Math.max(this.#best, this.#previousBest ?? this.#best);
  }
}
