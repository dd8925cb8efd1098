// Why it is so: core/docs/why/stores-in-front.md

/**
 * How often a key is asked about, by intervals of one length: that of a lease, or that between two synchronizations. A key that is asked
 * about more seldom than `busyFrom` times in an interval does not gain from being decided in the process.
 */
export class Demand {
  readonly #intervalMs: number;
  readonly #busyFrom: number;
  #startMs = Number.NEGATIVE_INFINITY;
  #requests = 0;
  #units = 0;
  #requestsBefore = 0;
  #unitsBefore = 0;

  constructor(intervalMs: number, busyFrom: number) {
    this.#intervalMs = intervalMs;
    this.#busyFrom = busyFrom;
  }

  /** Notes a request of so many units. Returns whether so many come in an interval that units for them pay. */
  note(cost: number, nowMs: number): boolean {
    const isBusy = this.isBusy(nowMs);
    this.noteServed(cost);
    return isBusy || this.#requests >= this.#busyFrom;
  }

  /** Whether so many requests come in an interval that units for them pay. */
  isBusy(nowMs: number): boolean {
    const agoMs = nowMs - this.#startMs;
    // Also if the clock went back.
    if (!(agoMs >= 0 && agoMs < this.#intervalMs)) this.#begin(nowMs, agoMs < 2 * this.#intervalMs);
    return this.#mostRequests >= this.#busyFrom;
  }

  /** Notes a request that was decided in the process, with what was noted last. */
  noteServed(cost: number): void {
    this.#requests += 1;
    this.#units += cost;
  }

  /** The units of this interval, or of the one before if those were more. */
  get units(): number {
    return Math.max(this.#units, this.#unitsBefore);
  }

  /** Whether so many units are enough for the requests that make a key busy, as they cost on average. */
  isEnough(units: number): boolean {
    return units * this.#mostRequests >= this.#busyFrom * this.units;
  }

  /** Whether nothing was asked for in this interval and the one before. */
  isOver(nowMs: number): boolean {
    return !(nowMs - this.#startMs < 2 * this.#intervalMs);
  }

  get #mostRequests(): number {
    return Math.max(this.#requests, this.#requestsBefore);
  }

  #begin(nowMs: number, isNext: boolean): void {
    this.#requestsBefore = isNext ? this.#requests : 0;
    this.#unitsBefore = isNext ? this.#units : 0;
    this.#requests = 0;
    this.#units = 0;
    this.#startMs = nowMs;
  }
}
