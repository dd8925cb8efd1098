/** A list of objects that others keep alive. An object that nobody else uses any more leaves the list by itself. */
export class WeakList<T extends object> implements Iterable<T> {
  readonly #refs = new Set<WeakRef<T>>();
  readonly #collected = new FinalizationRegistry<WeakRef<T>>((ref) => this.#refs.delete(ref));

  /** Adds an object, and returns the function that removes it again. */
  add(one: T): () => void {
    const ref = new WeakRef(one);
    this.#refs.add(ref);
    this.#collected.register(one, ref);
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
}
