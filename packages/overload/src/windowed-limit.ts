import type { InFlightLimit, LimitBounds } from './in-flight-limit.js';
import { SampleWindow } from './sample-window.js';

/** A limit that learns from the mean latency of each window, and from nothing else. */
export abstract class WindowedLimit implements InFlightLimit {
  readonly needsTimes = true;
  readonly #max: number;
  readonly #window = new SampleWindow();
  #exact: number;
  /** Whether a request was refused in this window. */
  #hasRefused = false;

  constructor({ initial, max }: LimitBounds) {
    this.#exact = initial;
    this.#max = max;
  }

  get limit(): number {
    return Math.floor(this.#exact);
  }

  get center(): number {
    return this.limit;
  }

  admitted(): void {}

  refused(): void {
    this.#hasRefused = true;
  }

  done(nowMs: number, startedMs: number, _waitedMs: number, inFlight: number): void {
    this.#window.add(nowMs, nowMs - startedMs, inFlight, this.#learn);
  }

  /**
   * Returns the limit after a window; it may be no whole number, and out of bounds.
   *
   * @param limit - the limit before, with its fraction
   * @param isUsed - whether at least half of it was used, or it has refused a request: else it says nothing about a higher one
   */
  protected abstract after(limit: number, meanMs: number, isUsed: boolean): number;

  readonly #learn = (meanMs: number, mostInFlight: number): void => {
    // Classes leave a part of the limit free, and requests that come together find fewer in flight in the mean than there are at most.
    const isUsed = this.#hasRefused || 2 * mostInFlight >= this.#exact;
    this.#exact = Math.min(this.#max, Math.max(1, this.after(this.#exact, meanMs, isUsed)));
    this.#hasRefused = false;
  };
}
