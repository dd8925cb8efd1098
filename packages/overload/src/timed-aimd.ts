import { Aimd } from './aimd.js';
import type { InFlightLimit, LimitBounds } from './in-flight-limit.js';

/**
 * Aimd for a server, where a request fails by taking longer than a time-out, as in `AIMDLimit` of Netflix's
 * concurrency-limits. Choose it only if you know such a duration: below the time-out, the limit grows to its maximum,
 * however long requests wait.
 */
export class TimedAimd implements InFlightLimit {
  readonly needsTimes = true;
  readonly #aimd: Aimd;
  readonly #timeoutMs: number;
  /** Since when the limit has not shrunk: requests that began before say nothing about it. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** When a request was refused last. Classes leave a part of the limit free, so it refuses before it is full. */
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  /** @param timeoutMs - a request that takes longer was overload */
  constructor(bounds: LimitBounds, timeoutMs: number) {
    this.#aimd = new Aimd(bounds);
    this.#timeoutMs = timeoutMs;
  }

  get limit(): number {
    return this.#aimd.limit;
  }

  get center(): number {
    return this.#aimd.limit;
  }

  admitted(): void {}

  refused(nowMs: number): void {
    this.#refusedAtMs = nowMs;
  }

  done(nowMs: number, startedMs: number, _waitedMs: number, inFlight: number): void {
    if (startedMs < this.#sinceMs) return;
    const { round } = this.#aimd;
    const durationMs = nowMs - startedMs;
    const used = startedMs <= this.#refusedAtMs ? Math.max(this.limit, inFlight) : inFlight;
    if (durationMs <= this.#timeoutMs) this.#aimd.succeeded({ round, durationMs, inFlight: used });
    else this.#aimd.failed({ round, nowMs });
    if (this.#aimd.round !== round) this.#sinceMs = nowMs;
  }
}
