import { WindowedLimit } from './windowed-limit.js';

/** The latency without load is measured again after this many windows for each request of the limit. */
const WINDOWS_PER_REQUEST = 30;

/**
 * Estimates how many requests wait behind this process from the least latency that was seen, and keeps a few of them
 * waiting: about three to six times the decimal logarithm of the limit.
 *
 * Choose it where the latency without load stays the same for minutes, and load comes in short bursts. If what is behind
 * gets slower, it takes that for a queue, and falls until the latency without load is measured again. Measured under a long
 * overload, that latency is too long, and the limit drifts upward.
 *
 * Brakmo and Peterson, "TCP Vegas" (1995); the constants are those of `VegasLimit` of Netflix's concurrency-limits. Its
 * random delay before the next measurement, which separates many servers, is left out.
 */
export class Vegas extends WindowedLimit {
  #noLoadMs = Number.POSITIVE_INFINITY;
  #windows = 0;

  protected override after(limit: number, meanMs: number, isUsed: boolean): number {
    this.#windows += 1;
    if (this.#windows >= WINDOWS_PER_REQUEST * limit) {
      this.#windows = 0;
      this.#noLoadMs = meanMs;
    } else if (meanMs < this.#noLoadMs) {
      this.#noLoadMs = meanMs;
    } else if (isUsed) {
      return limit + this.#step(limit, meanMs);
    }
    return limit;
  }

  #step(limit: number, meanMs: number): number {
    const unit = Math.max(1, Math.floor(Math.log10(limit)));
    const queue = Math.ceil(limit * (1 - this.#noLoadMs / meanMs));
    if (queue <= unit) return 6 * unit;
    if (queue < 3 * unit) return unit;
    return queue > 6 * unit ? -unit : 0;
  }
}
