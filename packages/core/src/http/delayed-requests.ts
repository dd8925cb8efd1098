import type { Clock } from '../values/clock.js';

/** A request that waits until this time at the latest. */
interface DelayedRequest {
  readonly untilMs: number;
}

/**
 * The requests of one policy that wait in this process, because of `slowDown` or `maxWait`. Their number is limited,
 * because each of them holds a connection.
 * A request whose time has come no longer counts, even if nobody has reported its end.
 */
export class DelayedRequests {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #delayed = new Set<DelayedRequest>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** How many requests are delayed now. */
  get size(): number {
    return this.#delayed.size;
  }

  /** Adds a request, and returns the function that removes it; undefined if there is no room for it. */
  add(delayMs: number): (() => void) | undefined {
    const nowMs = this.#clock.now();
    if (this.#delayed.size >= this.#most) this.#removeOver(nowMs);
    if (this.#delayed.size >= this.#most) return undefined;
    const request = { untilMs: nowMs + delayMs };
    this.#delayed.add(request);
    return () => void this.#delayed.delete(request);
  }

  #removeOver(nowMs: number): void {
    for (const request of this.#delayed) if (request.untilMs < nowMs) this.#delayed.delete(request);
  }
}
