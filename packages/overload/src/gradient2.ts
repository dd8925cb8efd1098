import { WindowedLimit } from './windowed-limit.js';

/** How many windows the long mean covers, and how many of them are averaged plainly at the start. */
const LONG_WINDOWS = 600;
const FIRST_WINDOWS = 10;
/** The long mean is forgotten a little faster while it is more than this many times the latency now. */
const STALE = 2;
const FORGOTTEN = 0.95;
/** The latency may be this many times the long mean before the limit falls. */
const TOLERANCE = 1.5;
/** The limit falls at most to this part, before it is smoothed. */
const LEAST_GRADIENT = 0.5;
/** So many requests may wait behind this process, whatever the latency. */
const QUEUE = 4;
const SMOOTHING = 0.2;

/**
 * Follows the ratio of the mean latency of some ten minutes to the latency now, and always lets a few requests wait.
 *
 * Choose it where latencies change slowly. It forgives a latency of up to one and a half times the usual one, so a long
 * overload becomes the usual latency, and the limit drifts upward with it.
 *
 * The formulas and constants are those of `Gradient2Limit` of Netflix's concurrency-limits, but for its smallest limit of
 * 20, which protects nothing that is slower than 20 requests at once: here the smallest is what the queue leaves, about 8.
 */
export class Gradient2 extends WindowedLimit {
  #longMs = 0;
  #windows = 0;

  protected override after(limit: number, meanMs: number, isUsed: boolean): number {
    this.#remember(meanMs);
    if (!isUsed) return limit;
    const gradient = Math.max(LEAST_GRADIENT, Math.min(1, (TOLERANCE * this.#longMs) / meanMs));
    return (1 - SMOOTHING) * limit + SMOOTHING * (limit * gradient + QUEUE);
  }

  #remember(meanMs: number): void {
    this.#windows += 1;
    const weight = this.#windows <= FIRST_WINDOWS ? 1 / this.#windows : 2 / (LONG_WINDOWS + 1);
    this.#longMs += weight * (meanMs - this.#longMs);
    if (this.#longMs > STALE * meanMs) this.#longMs *= FORGOTTEN;
  }
}
