import type { InFlightLimit, LimitBounds } from './in-flight-limit.js';
import { SampleWindow } from './sample-window.js';

/** A limit that learns from the mean latency of each window, and from nothing else. */
export abstract class WindowedLimit implements InFlightLimit {
  readonly needsTimes = true;
  readonly #max: number;
  readonly #window = new SampleWindow();
  #exact: number;

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

  refused(): void {}

  done(nowMs: number, startedMs: number, _waitedMs: number, inFlight: number): void {
    this.#window.add(nowMs, nowMs - startedMs, inFlight, this.#learn);
  }

  /**
   * Returns the limit after a window; it may be no whole number, and out of bounds.
   *
   * @param limit - the limit before, with its fraction
   */
  protected abstract after(limit: number, meanMs: number, mostInFlight: number): number;

  readonly #learn = (meanMs: number, mostInFlight: number): void => {
    this.#exact = Math.min(this.#max, Math.max(1, this.after(this.#exact, meanMs, mostInFlight)));
  };
}
