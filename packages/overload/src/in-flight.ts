import type { InFlightLimit } from './in-flight-limit.js';
import type { LoopAge } from './loop-age.js';
import type { Permit } from './shedder.js';

/** More than what is lost when a share is computed in binary. */
const ROUNDING = 1e-9;

/** The requests in flight, their permits, and the limit that learns from them. */
export class InFlight {
  readonly #loop: LoopAge;
  readonly #limit: InFlightLimit | undefined;
  readonly #shares: readonly number[];
  /** How many take a place under the limit, and how many do not now. */
  #placed = 0;
  #paused = 0;
  #onLearned: (center: number) => void = () => {};

  /**
   * @param limit - undefined if requests in flight are not limited
   * @param shares - the part of the limit that each class may use, by rank
   */
  constructor(loop: LoopAge, limit: InFlightLimit | undefined, shares: readonly number[]) {
    this.#loop = loop;
    this.#limit = limit;
    this.#shares = shares;
  }

  get count(): number {
    return this.#placed + this.#paused;
  }

  get placed(): number {
    return this.#placed;
  }

  get limit(): number {
    return this.#limit?.limit ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Calls the listener whenever the limit may have changed, with the limit without the small changes by which it is tried.
   * That is never while nothing is refused or learned, so a calm request does not pay for it.
   */
  onLearned(listener: (center: number) => void): void {
    this.#onLearned = listener;
  }

  /** Whether there is a place for a request of this class. Every class may have one, or it could never run. */
  hasRoom(rank: number): boolean {
    const limit = this.#limit;
    if (!limit) return true;
    return this.#placed < Math.max(1, Math.floor(limit.limit * (this.#shares[rank] as number) + ROUNDING));
  }

  /** Counts a request that was refused for want of room, at the time of the last reading. */
  refused(): void {
    const limit = this.#limit;
    if (!limit) return;
    limit.refused(this.#loop.nowMs);
    this.#onLearned(limit.center);
  }

  /** Counts a request that was admitted at the time of the last reading. */
  admitted(): Permit {
    const limit = this.#limit;
    limit?.admitted();
    this.#placed += 1;
    return new RequestPermit(this, true, limit?.needsTimes ? this.#loop.nowMs : Number.NaN, this.#placed);
  }

  /** Counts a request that gives no sample. */
  exempt(): Permit {
    this.#placed += 1;
    return new RequestPermit(this, false, Number.NaN, 0);
  }

  /**
   * An admitted request has been answered.
   *
   * @param startedMs - when its sample began; NaN if it gives none
   * @param inFlightAtStart - how many requests were in flight then
   */
  done(startedMs: number, inFlightAtStart: number): void {
    const limit = this.#limit;
    if (limit && !Number.isNaN(startedMs)) {
      const loop = this.#loop;
      loop.read();
      // A request waits for those that were there when it came, and shares with those that came later.
      limit.done(loop.nowMs, startedMs, loop.ageMs, (inFlightAtStart + this.#placed) / 2);
      this.#onLearned(limit.center);
    }
    this.#placed -= 1;
  }

  /** A paused request has ended. */
  donePaused(): void {
    this.#paused -= 1;
  }

  pause(): void {
    this.#placed -= 1;
    this.#paused += 1;
  }

  /** Returns when a sample begins that begins now; NaN if none is needed. */
  resume(): number {
    this.#paused -= 1;
    this.#placed += 1;
    if (!this.#limit?.needsTimes) return Number.NaN;
    this.#loop.read();
    return this.#loop.nowMs;
  }
}

/** The permit of one request. It is the only object that is made for a request. */
class RequestPermit implements Permit {
  /** Undefined once the request has ended. */
  #inFlight: InFlight | undefined;
  readonly #givesSample: boolean;
  #startedMs: number;
  #inFlightAtStart: number;
  #isPaused = false;

  constructor(inFlight: InFlight, givesSample: boolean, startedMs: number, inFlightAtStart: number) {
    this.#inFlight = inFlight;
    this.#givesSample = givesSample;
    this.#startedMs = startedMs;
    this.#inFlightAtStart = inFlightAtStart;
  }

  done(): void {
    const inFlight = this.#inFlight;
    if (!inFlight) return;
    this.#inFlight = undefined;
    if (this.#isPaused) inFlight.donePaused();
    else inFlight.done(this.#startedMs, this.#inFlightAtStart);
  }

  drop(): void {
    this.#startedMs = Number.NaN;
    this.done();
  }

  pause(): void {
    if (!this.#inFlight || this.#isPaused) return;
    this.#isPaused = true;
    this.#inFlight.pause();
  }

  resume(): void {
    if (!this.#inFlight || !this.#isPaused) return;
    this.#isPaused = false;
    const startedMs = this.#inFlight.resume();
    if (!this.#givesSample) return;
    this.#startedMs = startedMs;
    this.#inFlightAtStart = this.#inFlight.placed;
  }
}
