/** Remembers running promises, for a caller that waits for their end. */
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

  /** Resolves when all promises that are running now have settled, with any result. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#works);
  }
}
