import type { Response } from 'express';
import type { Answer } from './wire.js';

/** Where a request is kept back on its way: before the limiters see it, and before the handler answers. */
export interface Hold {
  readonly arrival?: boolean;
  readonly departure?: boolean;
}

/** A place where a request stays until it is opened. */
class Gate {
  #open: () => void = () => {};
  #opened: Promise<void> | undefined;

  constructor(isShut: boolean | undefined) {
    if (isShut) this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  get isShut(): boolean {
    return this.#opened !== undefined;
  }

  open(): void {
    this.#opened = undefined;
    this.#open();
  }

  pass(next: () => void): void {
    if (this.#opened) this.#opened.then(next);
    else next();
  }
}

/** A request on its way to the server and back. */
export class Flight {
  readonly arrival: Gate;
  readonly departure: Gate;
  /** The response, once the request is at the server. */
  response: Response | undefined;
  isDecided = false;
  answer: Answer | undefined;

  constructor(
    readonly id: string,
    { arrival, departure }: Hold,
  ) {
    this.arrival = new Gate(arrival);
    this.departure = new Gate(departure);
  }

  /** Whether only the clock, or the opening of a gate, will move it. */
  get rests(): boolean {
    if (this.answer) return true;
    if (!this.response || this.response.writableEnded) return false;
    return this.arrival.isShut || this.isDecided;
  }
}
