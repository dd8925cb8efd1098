/** An event of an answer, passed on to the caller's handler. It returns false if the caller wants no more for now. */
type Event = () => unknown;

/** The events of an answer, held until somebody decides whether the caller gets the answer or another attempt follows. */
export class HeldEvents {
  #held: Event[] | undefined = [];
  #isDropped = false;

  /** Whether nobody wants them any more. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Passes an event on, now or when it is released. Returns whether more events may come. */
  pass(event: Event): boolean {
    if (this.#held) {
      this.#held.push(event);
      return false;
    }
    return this.#isDropped || event() !== false;
  }

  /** Passes on what is held, and from now on everything at once. Returns whether more events may come. */
  release(): boolean {
    const events = this.#held ?? [];
    this.#held = undefined;
    let mayFollow = true;
    for (const event of events) {
      if (!this.#isDropped) mayFollow = event() !== false;
    }
    return mayFollow;
  }

  /** Forgets what is held, and everything that follows. */
  drop(): void {
    this.#held = undefined;
    this.#isDropped = true;
  }
}
