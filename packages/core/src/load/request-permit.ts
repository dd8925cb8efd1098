import type { Permit } from './shedder.js';

/** Counts the requests in flight. */
export interface RequestCounter {
  /** A request has ended. `startedMs` is when its sample began; NaN if it gives none. */
  done(startedMs: number): void;
  /** A paused request has ended. */
  donePaused(): void;
  pause(): void;
  /** Returns when a sample begins that begins now; NaN if none is needed. */
  resume(): number;
}

/** The permit of one request. It is the only object that is made for a request. */
export class RequestPermit implements Permit {
  /** Undefined once the request has ended. */
  #counter: RequestCounter | undefined;
  /** When its sample began; NaN if it gives none. */
  #startedMs: number;
  readonly #givesSample: boolean;
  #isPaused = false;

  constructor(counter: RequestCounter, startedMs: number, givesSample: boolean) {
    this.#counter = counter;
    this.#startedMs = startedMs;
    this.#givesSample = givesSample;
  }

  done(): void {
    const counter = this.#counter;
    if (!counter) return;
    this.#counter = undefined;
    if (this.#isPaused) counter.donePaused();
    else counter.done(this.#startedMs);
  }

  drop(): void {
    this.#startedMs = Number.NaN;
    this.done();
  }

  pause(): void {
    if (!this.#counter || this.#isPaused) return;
    this.#isPaused = true;
    this.#counter.pause();
  }

  resume(): void {
    if (!this.#counter || !this.#isPaused) return;
    this.#isPaused = false;
    const startsMs = this.#counter.resume();
    if (this.#givesSample) this.#startedMs = startsMs;
  }
}
