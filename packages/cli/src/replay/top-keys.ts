/** The keys with most refused requests, exact: the count of a key only rises, and each time it does the key is told. */
export class TopKeys {
  readonly #most: number;
  readonly #counts = new Map<string, number>();
  /** The smallest count among them, once there are enough. */
  #least = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Tells that a key was refused for the given time. */
  refused(key: string, count: number): void {
    if (count <= this.#least && !this.#counts.has(key)) return;
    // A part of a longer text would keep all of it in memory.
    const isNew = !this.#counts.has(key);
    this.#counts.set(isNew ? Buffer.from(key).toString() : key, count);
    if (isNew && this.#counts.size > this.#most) this.#removeLeast();
    if (this.#counts.size === this.#most) this.#least = Math.min(...this.#counts.values());
  }

  /** The keys, the one with most refused requests first. */
  get keys(): readonly (readonly [key: string, refused: number])[] {
    return [...this.#counts].sort(([keyA, a], [keyB, b]) => b - a || (keyA < keyB ? -1 : 1));
  }

  #removeLeast(): void {
    let least: [string, number] | undefined;
    for (const entry of this.#counts) if (!least || entry[1] < least[1]) least = entry;
    if (least) this.#counts.delete(least[0]);
  }
}
