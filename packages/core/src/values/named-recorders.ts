import { getOrCreate } from './get-or-create.js';

/** Stands for all names beyond the most. */
export const OTHERS = '(others)';

/**
 * The recorders of one kind by name, until the process ends. Names that a program makes without end must not fill the memory, so all
 * names beyond the most share one recorder.
 */
export class NamedRecorders<R> {
  readonly #most: number;
  readonly #make: (name: string) => R;
  readonly #recorders = new Map<string, R>();

  /** @param most - far more than an application has */
  constructor(most: number, make: (name: string) => R) {
    this.#most = most;
    this.#make = make;
  }

  /** Returns the recorder of a name. The first call makes it. */
  of(name: string): R {
    const known = this.#recorders.get(name);
    if (known !== undefined) return known;
    const shown = this.#recorders.size >= this.#most ? OTHERS : name;
    return getOrCreate(this.#recorders, shown, () => this.#make(shown));
  }

  all(): Iterable<R> {
    return this.#recorders.values();
  }
}
