import type { Answer } from './wire.js';

/** Where a request is held: before the limiters see it, or before the handler answers. */
export interface Hold {
  readonly arrival?: boolean;
  readonly departure?: boolean;
}

/** A place where a request stays until it is opened. */
class Gate {
  #open: () => void = () => {};
  #opened: Promise<void> | undefined;
  #isReached = false;

  constructor(isShut: boolean | undefined) {
    if (isShut) this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  get isShut(): boolean {
    return this.#opened !== undefined;
  }

  /** Whether a request waits at it. */
  get keeps(): boolean {
    return this.isShut && this.#isReached;
  }

  open(): void {
    this.#opened = undefined;
    this.#open();
  }

  /** Undefined when it is open: the request goes on in the same tick. */
  pass(): Promise<void> | undefined {
    this.#isReached = true;
    return this.#opened;
  }
}

/** A request on its way to the server and back. */
export class Flight {
  readonly arrival: Gate;
  readonly departure: Gate;
  answer: Answer | undefined;

  constructor(
    readonly id: string,
    { arrival, departure }: Hold,
  ) {
    this.arrival = new Gate(arrival);
    this.departure = new Gate(departure);
  }

  /** Whether only an opened gate lets it go on. */
  get isKept(): boolean {
    return this.arrival.keeps || this.departure.keeps;
  }
}
