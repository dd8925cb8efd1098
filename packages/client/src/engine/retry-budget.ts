import type { Clock } from '@sluice/core';

/** The most retries that are saved up, and how many are granted in advance. */
const CAPACITY = 10;

/** The retries that a second brings, whatever is sent in it. */
const LEAST_PER_SECOND = 1;

/** Absorbs the rounding of sums such as ten times a tenth. */
const ROUNDING = 1e-9;

/**
 * Bounds the retries to one server: to a part of the requests, or to one a second where that is more. The first ten are
 * granted in advance, and requests pay them back. So a dead server gets at most a tenth more than without retries.
 *
 * @see Twitter Finagle, `RetryBudget`, for the shape
 */
export class RetryBudget {
  readonly #clock: Clock;
  readonly #share: number;
  #balance = CAPACITY;
  #advance = CAPACITY;
  #second: number;
  /** What this second has brought. It begins with its least. */
  #earned = LEAST_PER_SECOND;

  constructor(clock: Clock, share: number) {
    this.#clock = clock;
    this.#share = share;
    this.#second = this.#now();
  }

  /** Notes a request that is sent for the first time. */
  deposit(): void {
    this.#beginSecond();
    const before = Math.max(LEAST_PER_SECOND, this.#earned);
    this.#earned += this.#share;
    this.#add(Math.max(LEAST_PER_SECOND, this.#earned) - before);
  }

  /** Takes a retry from the budget. Returns false if there is none. */
  withdraw(): boolean {
    this.#beginSecond();
    if (this.#balance < 1 - ROUNDING) return false;
    this.#balance -= 1;
    return true;
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #beginSecond(): void {
    const second = this.#now();
    const passed = second - this.#second;
    if (passed === 0) return;
    this.#second = second;
    this.#earned = 0;
    // A clock that was set back brings nothing.
    if (passed > 0) this.#add(LEAST_PER_SECOND * Math.min(passed, 2 * CAPACITY));
  }

  #add(units: number): void {
    const repaid = Math.min(this.#advance, units);
    this.#advance -= repaid;
    this.#balance = Math.min(CAPACITY, this.#balance + units - repaid);
  }
}
