import { type Clock, stopwatchMs } from '../../values/clock.js';

/** Time differences are remembered for one to two of these. */
const SPAN_MS = 1000;

/** Clocks drift apart by some milliseconds in so long, so an older difference is not believed. */
const BELIEVED_MS = 60_000;

/**
 * A remote store's time, estimated from its replies. A reply tells the time at which it was given and comes later by an
 * unknown delay, so the estimate is never ahead of the store's time; the quickest reply of the last second or two tells
 * most. An estimate that is ahead all the same shows that the store's clock was set back: it begins anew.
 */
export class ServerClock {
  readonly #clock: Clock;
  #spanStartMs = 0;
  #heardAtMs = 0;
  #lastAtMs: number | undefined;
  #best: number | undefined;
  #previousBest = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param askedMs - by the stopwatch, when the reply was asked for, where that is known */
  heard(atMs: number, askedMs?: number): void {
    // Of several replies in one, all but the first were read later, and tell no more.
    if (atMs === this.#lastAtMs) return;
    this.#lastAtMs = atMs;
    const nowMs = this.#clock.now();
    // Both are cut to whole milliseconds, so their difference may be up to one too large.
    const aheadMs = atMs - nowMs - 1;
    this.#heardAtMs = nowMs;
    if (askedMs !== undefined && this.#isAhead(atMs, nowMs, askedMs)) this.#best = undefined;
    if (this.#best === undefined || nowMs >= this.#spanStartMs + SPAN_MS || nowMs < this.#spanStartMs) {
      this.#previousBest = this.#best ?? Number.NEGATIVE_INFINITY;
      this.#best = aheadMs;
      this.#spanStartMs = nowMs;
    } else {
      this.#best = Math.max(this.#best, aheadMs);
    }
  }

  /** Whether the estimate is later than the store can have been at `atMs`, which was not before it was asked. */
  #isAhead(atMs: number, nowMs: number, askedMs: number): boolean {
    if (this.#best === undefined) return false;
    // Again, each is cut to whole milliseconds.
    const mostMs = atMs - nowMs + (stopwatchMs() - askedMs) + 2;
    return Math.max(this.#best, this.#previousBest) > mostMs;
  }

  /** Undefined before the first reply, and when the last one is too long ago. */
  now(): number | undefined {
    const nowMs = this.#clock.now();
    if (this.#best === undefined || nowMs > this.#heardAtMs + BELIEVED_MS) return undefined;
    return nowMs + Math.max(this.#best, this.#previousBest);
  }
}
