import type { CompareAndSwapBackend, Entry, Snapshot, Swap } from '../../src/compare-and-swap/backend.js';

/** The smallest possible database. Each method takes a turn of the event loop, in which another call may be faster. */
export class MapBackend implements CompareAndSwapBackend {
  readonly entries = new Map<string, Entry>();
  /** The time to live that each key was last written with. */
  readonly lives = new Map<string, number>();
  reads = 0;
  swaps = 0;

  async read(keys: readonly string[]): Promise<Snapshot> {
    this.reads += 1;
    // A map finds nothing under such a key, a database fails.
    if (keys.some((key) => typeof key !== 'string')) throw new TypeError('a key has to be text');
    await Promise.resolve();
    const entries = keys.map((key) => {
      const [entry, forMs] = [this.entries.get(key), this.lives.get(key)];
      return entry && { ...entry, ...(forMs !== undefined && { forMs }) };
    });
    return { entries };
  }

  async swap(swaps: readonly Swap[]): Promise<boolean> {
    this.swaps += 1;
    await Promise.resolve();
    if (swaps.some(({ key, was }) => this.entries.get(key)?.version !== was)) return false;
    for (const { key, next } of swaps) {
      if (next) {
        this.entries.set(key, { version: next.version, value: next.value });
        this.lives.set(key, next.forMs);
      } else this.entries.delete(key);
    }
    return true;
  }

  async delete(keys: readonly string[]): Promise<number> {
    return keys.filter((key) => this.entries.delete(key)).length;
  }
}
