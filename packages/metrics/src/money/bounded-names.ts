/** The name of all that are not told apart. */
const OTHER = 'other';

/** Tells so many names apart, and calls all further ones `other`, so that nobody can make series without end. */
export class BoundedNames {
  readonly #most: number;
  readonly #names = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Returns the name that is shown. A name that was shown stays shown.
   *
   * @param mayBeNew - whether a name that is not known yet takes a place
   */
  of(name: string, mayBeNew: boolean = true): string {
    if (this.#names.has(name)) return name;
    if (!mayBeNew || this.#names.size >= this.#most) return OTHER;
    this.#names.add(name);
    return name;
  }
}
