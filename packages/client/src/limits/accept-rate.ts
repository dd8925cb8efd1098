import type { Clock } from '@sluice/core';

/** How far back requests count. */
const WINDOW_MS = 120_000;

/** The window moves on by this much. */
const STEP_MS = 10_000;

/** Below so many requests in the window, nothing is turned away. */
const LEAST_REQUESTS = 20;

/** What happened in one step of the window. */
interface Step {
  readonly number: number;
  requests: number;
  accepts: number;
}

/**
 * How many of the requests of the last two minutes a server has accepted, and the part of further ones that are not worth
 * sending.
 *
 * @see Beyer et al., "Site Reliability Engineering", chapter 21, "Handling Overload", client-side throttling
 */
export class AcceptRate {
  readonly #clock: Clock;
  readonly #ratio: number;
  /** The oldest first. */
  readonly #steps: Step[] = [];

  /** @param ratio - how many requests are sent for one that is accepted, at least; Infinity to turn nothing away */
  constructor(clock: Clock, ratio: number) {
    this.#clock = clock;
    this.#ratio = ratio;
  }

  /** Notes a request: one that was sent, with what became of it, or one that was turned away. */
  add(isAccepted: boolean): void {
    const step = this.#step();
    step.requests += 1;
    if (isAccepted) step.accepts += 1;
  }

  /** The probability with which the next request should be turned away. */
  get rejection(): number {
    this.#step();
    const requests = this.#steps.reduce((sum, step) => sum + step.requests, 0);
    if (requests < LEAST_REQUESTS || this.#ratio === Number.POSITIVE_INFINITY) return 0;
    const accepts = this.#steps.reduce((sum, step) => sum + step.accepts, 0);
    return Math.max(0, (requests - this.#ratio * accepts) / (requests + 1));
  }

  clear(): void {
    this.#steps.length = 0;
  }

  #step(): Step {
    const number = Math.floor(this.#clock.now() / STEP_MS);
    let newest = this.#steps.at(-1);
    // A clock that was set back goes on with the newest step.
    if (!newest || newest.number < number) {
      newest = { number, requests: 0, accepts: 0 };
      this.#steps.push(newest);
    }
    while ((this.#steps[0]?.number ?? number) <= number - WINDOW_MS / STEP_MS) this.#steps.shift();
    return newest;
  }
}
