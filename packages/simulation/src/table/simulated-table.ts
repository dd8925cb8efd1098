import type { CompareAndSwapBackend, Entry, Swap } from '@sluice/core/store';

/** What a table keeps. */
type TableContents = ReadonlyMap<string, KeptEntry>;

interface KeptEntry extends Entry {
  readonly untilMs: number;
}

/**
 * A database that keeps entries with versions, without a network: the other side of `CompareAndSwapBackend`. Everything is decided
 * at once, by the time of its own clock.
 */
export class SimulatedTable {
  readonly #clock: { nowMs(): number };
  #entries = new Map<string, KeptEntry>();
  #isFull = false;

  constructor(clock: { nowMs(): number }) {
    this.#clock = clock;
  }

  read(keys: readonly string[]): Awaited<ReturnType<CompareAndSwapBackend['read']>> {
    const nowMs = this.#nowMs();
    const entries = keys.map((key) => {
      const entry = this.#live(key, nowMs);
      return entry && { version: entry.version, value: entry.value, forMs: entry.untilMs - nowMs };
    });
    return { atMs: nowMs, entries };
  }

  swap(swaps: readonly Swap[], notAfterMs: number | undefined): boolean {
    const nowMs = this.#nowMs();
    if (notAfterMs !== undefined && nowMs >= notAfterMs) return false;
    if (swaps.some(({ key, was }) => this.#live(key, nowMs)?.version !== was)) return false;
    if (this.#isFull && swaps.some(({ next }) => next)) throw new Error('the database has no room left');
    for (const { key, next } of swaps) {
      if (next) this.#entries.set(key, { version: next.version, value: next.value, untilMs: nowMs + next.forMs });
      else this.#entries.delete(key);
    }
    return true;
  }

  delete(keys: readonly string[]): number {
    return keys.filter((key) => this.#entries.delete(key)).length;
  }

  /** From now on every write fails that keeps something. */
  fill(): void {
    this.#isFull = true;
  }

  drain(): void {
    this.#isFull = false;
  }

  clear(): void {
    this.#entries.clear();
  }

  loseKey(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** The keys of entries that still count, sorted. */
  keys(): readonly string[] {
    const nowMs = this.#nowMs();
    return [...this.#entries.keys()].filter((key) => this.#live(key, nowMs)).sort();
  }

  snapshot(): TableContents {
    return new Map(this.#entries);
  }

  restore(contents: TableContents): void {
    this.#entries = new Map(contents);
  }

  #nowMs(): number {
    return Math.floor(this.#clock.nowMs());
  }

  /** An entry that is over may be returned or not. Here it is gone, which is what shows that somebody needs it longer. */
  #live(key: string, nowMs: number): KeptEntry | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.untilMs > nowMs ? entry : undefined;
  }
}
