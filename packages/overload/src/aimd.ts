import { checkOptions, checkWhole } from '@sluice/core/src/values/option-checks';
import { LARGEST_LIMIT } from './in-flight-limit.js';

/** The numbers of an `Aimd`. */
export interface AimdOptions {
  /** The limit at the start: a whole number from 1 to 1,000,000. */
  readonly initial: number;
  /** The largest limit: a whole number from `initial` to 1,000,000. */
  readonly max: number;
}

/** What is left of the limit after a failure. Half is left if it was doubling before, or if nothing succeeds at all. */
const LEFT = 0.8;
const LEFT_AFTER_DOUBLING = 0.5;

/**
 * How many successes raise the limit by one, at least. In a small limit, one more request is a large part: with fewer
 * successes between two steps, a server that refuses what is too much would refuse a large part of the requests.
 */
const SUCCESSES_PER_STEP = 50;

/** The part of the newest duration in the usual one, as TCP weighs its round trips. */
const WEIGHT = 1 / 8;

/**
 * Finds how many requests may be in flight by additive increase and multiplicative decrease: the limit grows slowly while
 * requests succeed, and shrinks by a fifth when one fails. Its caller decides what a failure is. Choose it for a client,
 * which knows nothing of the server but its answers. Several clients of one server come to equal shares.
 *
 * - It grows only while it is full: by one for as many successes as it is large, and at least 50. From the start to the
 *   first failure it grows by one for each success, so it doubles in each round trip.
 * - It shrinks once in the time that a request usually takes, and only for requests that began after it shrank before. All
 *   that were under way then say nothing about the smaller limit.
 * - While nothing succeeds at all, it halves, down to one. When the server is back, it doubles to what it was before.
 *
 * @see Chiu and Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance", 1989; Jacobson,
 * "Congestion Avoidance and Control", 1988, for the doubling
 * @example
 * const aimd = new Aimd({ initial: 1, max: 100 });
 * const { round } = aimd;
 * const startMs = clock.now();
 * // ... when the request has succeeded, with itself among those in flight
 * aimd.succeeded({ round, durationMs: clock.now() - startMs, inFlight });
 */
export class Aimd {
  readonly #max: number;
  #exact: number;
  /** Up to here it doubles. */
  #doublesTo: number;
  #round = 0;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;
  #usualMs = 0;
  #succeeds = false;
  #isDown = false;

  /** @throws SluiceError `SLUICE_OPTION` */
  constructor(options: AimdOptions) {
    checkOptions(options, ['initial', 'max']);
    const initial = checkWhole(options.initial, 'initial', 1, LARGEST_LIMIT);
    const max = checkWhole(options.max, 'max', initial, LARGEST_LIMIT);
    this.#exact = initial;
    this.#max = max;
    this.#doublesTo = max;
  }

  /** How many requests may be in flight: a whole number of at least 1. */
  get limit(): number {
    return Math.floor(this.#exact);
  }

  /** Note it when a request begins, and pass it when the request ends. It is another one whenever the limit has shrunk. */
  get round(): number {
    return this.#round;
  }

  /** Whether nothing succeeds: nothing has since the limit shrank the time before last, or since the start. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** How long requests that succeed usually take, in milliseconds; 0 before the first. */
  get usualMs(): number {
    return this.#usualMs;
  }

  /**
   * A request has succeeded. The limit grows if it was full.
   *
   * @param end - `round` as noted at the start; `inFlight` are the requests in flight, with this one
   */
  succeeded({ round, durationMs, inFlight }: { round: number; durationMs: number; inFlight: number }): void {
    this.#usualMs += this.#usualMs === 0 ? durationMs : WEIGHT * (durationMs - this.#usualMs);
    this.#succeeds = true;
    this.#isDown = false;
    if (round !== this.#round || inFlight < this.limit) return;
    const step = this.#exact < this.#doublesTo ? 1 : 1 / Math.max(SUCCESSES_PER_STEP, this.#exact);
    this.#exact = Math.min(this.#max, this.#exact + step);
  }

  /**
   * A request has failed because of too much load. The limit shrinks, but not for a request of an earlier round.
   *
   * @param end - `round` as noted at the start; `nowMs` never goes back
   */
  failed({ round, nowMs }: { round: number; nowMs: number }): void {
    if (round !== this.#round || nowMs - this.#shrunkAtMs < this.#usualMs) return;
    const isDoubling = this.#exact < this.#doublesTo;
    const left = isDoubling || !this.#succeeds ? LEFT_AFTER_DOUBLING : LEFT;
    this.#exact = Math.max(1, this.#exact * left);
    if (this.#succeeds) this.#doublesTo = this.#exact;
    this.#isDown = !this.#succeeds;
    this.#succeeds = false;
    this.#shrunkAtMs = nowMs;
    this.#round += 1;
  }
}
