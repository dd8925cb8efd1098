/** Lets other work of the process go on between the parts of a long one. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of the event loop of its own, behind those that were asked for before. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.#last;
  }
}
