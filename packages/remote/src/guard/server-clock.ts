// Why it is so: core/docs/why/remote-stores.md

import { type Clock, stopwatchMs } from '@sluice/core/src/values/clock';

/** Time differences are kept for one to two times this long. */
const SPAN_MS = 1000;

/** Clocks drift some milliseconds in this time, so an older difference is not used. */
const BELIEVED_MS = 60_000;

/**
 * Estimates the time of a remote store from its responses. A response has the time when it was given, and arrives later by
 * an unknown delay. So the estimate is never ahead of the store's time. The fastest reply of the last second or two is
 * the best one. If the estimate is ahead nevertheless, the store's clock was set back, and the estimate starts anew.
 */
export class ServerClock {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #spanStartMs = 0;
  #observedAtMs = 0;
  #lastAtMs: number | undefined;
  #best: number | undefined;
  #previousBest = Number.NEGATIVE_INFINITY;

  /** @param timeoutMs - how long callers wait for a response */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param askedMs - when the response was asked for, as `stopwatchMs()` shows it, if known
   * @param observedMs - when it was read
   */
  observed(atMs: number, askedMs?: number, observedMs = stopwatchMs()): void {
    // If one message has several replies, all but the first were read later, and add nothing.
    if (atMs === this.#lastAtMs) return;
    this.#lastAtMs = atMs;
    const nowMs = this.#clock.now();
    // Both times are rounded down to whole milliseconds, so the difference may be up to 1 too large.
    const aheadMs = atMs - nowMs - 1;
    const tookMs = askedMs === undefined ? 0 : observedMs - askedMs;
    const isAhead = askedMs !== undefined && this.#isAhead(atMs, nowMs, tookMs);
    if (tookMs > this.#timeoutMs) {
      this.#observedLate(aheadMs, isAhead);
      return;
    }
    this.#observedAtMs = nowMs;
    if (isAhead) this.#best = undefined;
    if (this.#best === undefined || nowMs >= this.#spanStartMs + SPAN_MS || nowMs < this.#spanStartMs) {
      this.#previousBest = this.#best ?? Number.NEGATIVE_INFINITY;
      this.#best = aheadMs;
      this.#spanStartMs = nowMs;
    } else {
      this.#best = Math.max(this.#best, aheadMs);
    }
  }

  /**
   * An estimate from a late response alone may be behind by more than callers wait, so that the server would refuse all of them as too
   * late. Such a response only shows that the estimate is too small, or that the clock was set back.
   */
  #observedLate(aheadMs: number, isAhead: boolean): void {
    if (isAhead) {
      this.#best = undefined;
      this.#previousBest = Number.NEGATIVE_INFINITY;
    } else if (this.#best !== undefined) {
      this.#best = Math.max(this.#best, aheadMs);
    }
  }

  /** Whether the estimate is later than the store's time can have been at `atMs`, which was after the request, `tookMs` ago. */
  #isAhead(atMs: number, nowMs: number, tookMs: number): boolean {
    if (this.#best === undefined) return false;
    // Both times are rounded down to whole milliseconds here, too.
    const mostMs = atMs - nowMs + tookMs + 2;
    return Math.max(this.#best, this.#previousBest) > mostMs;
  }

  /**
   * Undefined before the first response, and if the last one is too old.
   *
   * @param nowMs - the time of the store's clock, if the caller has just read it
   */
  now(nowMs = this.#clock.now()): number | undefined {
    if (this.#best === undefined || nowMs > this.#observedAtMs + BELIEVED_MS) return undefined;
    return nowMs + Math.max(this.#best, this.#previousBest);
  }
}
