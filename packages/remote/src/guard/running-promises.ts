/** Remembers promises while they run, for a caller that waits for their end. */
export class RunningPromises {
  readonly #promises = new Set<Promise<unknown>>();

  /** Returns the same promise. */
  add<T>(promise: Promise<T>): Promise<T> {
    this.#promises.add(promise);
    const end = (): void => {
      this.#promises.delete(promise);
    };
    promise.then(end, end);
    return promise;
  }

  /** Resolves when all promises that are running now have settled, with any result. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#promises);
  }
}
