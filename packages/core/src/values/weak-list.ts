/** A shorter list is not looked through. */
const LEAST_LENGTH = 16;

/**
 * A list of objects that others keep alive. An object that nobody else uses any more leaves it as others come: the list is
 * looked through whenever it is twice as long as what it kept the last time, which costs each addition the same on average.
 * A finalizer would be told of each object, but it runs when the JavaScript engine finds the time, and may never run.
 */
export class WeakList<T extends object> implements Iterable<T> {
  readonly #refs = new Set<WeakRef<T>>();
  #lookAtLength = LEAST_LENGTH;

  /** Adds an object, and returns the function that removes it again. */
  add(one: T): () => void {
    if (this.#refs.size >= this.#lookAtLength) this.#dropUnused();
    const ref = new WeakRef(one);
    this.#refs.add(ref);
    return () => {
      this.#refs.delete(ref);
    };
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const ref of this.#refs) {
      const one = ref.deref();
      if (one) yield one;
    }
  }

  #dropUnused(): void {
    for (const ref of this.#refs) if (!ref.deref()) this.#refs.delete(ref);
    this.#lookAtLength = Math.max(LEAST_LENGTH, 2 * this.#refs.size);
  }
}
