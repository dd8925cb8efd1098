/** Remembers what is under way, for one who waits until it is over. */
export class InFlight {
  readonly #works = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    this.#works.add(work);
    const end = (): void => {
      this.#works.delete(work);
    };
    work.then(end, end);
    return work;
  }

  /** Resolves when all that is under way now is over, whatever it came to. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#works);
  }
}
