/** Keys that are told apart at most. Beyond, only a part of all keys is looked at, always the same. */
const MOST_KEYS = 20_000;

/** The keys of the last while, each with the time at which it was last seen, the oldest first. */
class RecentKeys {
  readonly #seenAtMs = new Map<string, number>();

  get size(): number {
    return this.#seenAtMs.size;
  }

  see(key: string, nowMs: number): void {
    this.#seenAtMs.delete(key);
    this.#seenAtMs.set(key, nowMs);
  }

  forgetBefore(ms: number): void {
    for (const [key, seenAtMs] of this.#seenAtMs) {
      if (seenAtMs >= ms) return;
      this.#seenAtMs.delete(key);
    }
  }

  keep(isKept: (key: string) => boolean): void {
    for (const key of this.#seenAtMs.keys()) if (!isKept(key)) this.#seenAtMs.delete(key);
  }
}

/**
 * Counts distinct keys of the last while, and those of them that were refused. However many requests a key sends, it counts
 * once, so a flood of few keys changes little.
 *
 * The memory is bounded: if there are too many keys, only those whose hash begins in a certain range are counted, and the
 * numbers are estimates (adaptive sampling, after M. Wegman).
 */
export class KeyShare {
  readonly #overMs: number;
  readonly #seen = new RecentKeys();
  readonly #refused = new RecentKeys();
  /** The part of all keys that is counted. */
  #part = 1;

  /** @param overMs - how long a key counts after it was seen */
  constructor(overMs: number) {
    this.#overMs = overMs;
  }

  /** @param key - a hash, as base64url */
  note(key: string, isRefused: boolean, nowMs: number): void {
    this.#seen.forgetBefore(nowMs - this.#overMs);
    this.#refused.forgetBefore(nowMs - this.#overMs);
    if (!this.#isCounted(key)) return;
    this.#seen.see(key, nowMs);
    if (isRefused) this.#refused.see(key, nowMs);
    if (this.#seen.size > MOST_KEYS) this.#countFewer();
  }

  /** How many distinct keys were refused. */
  get refused(): number {
    return Math.round(this.#refused.size / this.#part);
  }

  /** The share of distinct keys that were refused; 0 if there are no keys. */
  get share(): number {
    return this.#seen.size === 0 ? 0 : this.#refused.size / this.#seen.size;
  }

  #countFewer(): void {
    this.#part /= 2;
    this.#seen.keep((key) => this.#isCounted(key));
    this.#refused.keep((key) => this.#isCounted(key));
  }

  #isCounted(key: string): boolean {
    return this.#part === 1 || Buffer.from(key.slice(0, 8), 'base64url').readUInt32BE(0) < this.#part * 2 ** 32;
  }
}
