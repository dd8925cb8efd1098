/** The members of a sorted set with their scores, in order. */
export class SortedSet {
  readonly #scores: Map<string, number>;
  /** Made when it is needed, after a change. */
  #ordered: readonly (readonly [member: string, score: number])[] | undefined;

  constructor(scores: ReadonlyMap<string, number> = new Map()) {
    this.#scores = new Map(scores);
  }

  get size(): number {
    return this.#scores.size;
  }

  /** By score, and members of one score by their bytes. */
  get ordered(): readonly (readonly [member: string, score: number])[] {
    this.#ordered ??= [...this.#scores].sort(([a, scoreA], [b, scoreB]) => scoreA - scoreB || (a < b ? -1 : 1));
    return this.#ordered;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  set(member: string, score: number): void {
    this.#scores.set(member, score);
    this.#ordered = undefined;
  }

  delete(member: string): boolean {
    this.#ordered = undefined;
    return this.#scores.delete(member);
  }

  copy(): SortedSet {
    return new SortedSet(this.#scores);
  }
}
