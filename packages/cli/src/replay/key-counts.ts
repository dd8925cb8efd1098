import { KeyHash } from './key-hash.js';

/** The numbers of one place: hash, requests, refused requests, and one bit for each limit that refused the key. */
const FIELDS = 5;
const [HIGH, LOW, REQUESTS, REFUSED, LIMITS] = [0, 1, 2, 3, 4];

const FIRST_PLACES = 1024;

/** How many limits of one policy can be told apart by key. */
export const MOST_LIMITS = 32;

/**
 * Counts the requests of each key in some thirty bytes, whatever the length of the key. It knows keys by their hash, so it
 * cannot list them.
 */
export class KeyCounts {
  /** How many keys there are, and how many of them had a request refused. */
  seen = 0;
  refused = 0;
  readonly #hash = new KeyHash();
  #rows = new Int32Array(FIRST_PLACES * FIELDS);
  #mask = FIRST_PLACES - 1;
  /** Where the numbers of the last key begin. */
  #row = 0;

  /** Counts a request of a key. The other methods are about this key. */
  add(key: string): void {
    this.#find(key);
    const rows = this.#rows;
    rows[this.#row + REQUESTS] = (rows[this.#row + REQUESTS] as number) + 1;
  }

  /** Notes that the request was refused. Returns how many of the key were by now. */
  addRefused(): number {
    const index = this.#row + REFUSED;
    const count = (this.#rows[index] as number) + 1;
    this.#rows[index] = count;
    if (count === 1) this.refused += 1;
    return count;
  }

  /** Notes that a limit refused the key, by the limit's number below 32. Returns whether it is the first time. */
  isNewTo(limit: number): boolean {
    const index = this.#row + LIMITS;
    const bits = this.#rows[index] as number;
    const bit = 1 << limit;
    this.#rows[index] = bits | bit;
    return (bits & bit) === 0;
  }

  /** Returns how many requests a key had. */
  requestsOf(key: string): number {
    this.#find(key);
    return this.#rows[this.#row + REQUESTS] as number;
  }

  #find(key: string): void {
    this.#hash.read(key);
    const { high, low } = this.#hash;
    const rows = this.#rows;
    for (let index = low & this.#mask; ; index = (index + 1) & this.#mask) {
      const row = index * FIELDS;
      if (rows[row + HIGH] === high && rows[row + LOW] === low) {
        this.#row = row;
        return;
      }
      if (rows[row + HIGH] !== 0 || rows[row + LOW] !== 0) continue;
      rows[row + HIGH] = high;
      rows[row + LOW] = low;
      this.#row = row;
      this.seen += 1;
      if (this.seen * 4 > this.#mask * 3) this.#grow(high, low);
      return;
    }
  }

  /** Doubles the places, and finds the key of this hash among the new ones. */
  #grow(high: number, low: number): void {
    const old = this.#rows;
    const rows = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let from = 0; from < old.length; from += FIELDS) {
      if (old[from + HIGH] === 0 && old[from + LOW] === 0) continue;
      let index = (old[from + LOW] as number) & this.#mask;
      while (rows[index * FIELDS + HIGH] !== 0 || rows[index * FIELDS + LOW] !== 0) index = (index + 1) & this.#mask;
      for (let i = 0; i < FIELDS; i += 1) rows[index * FIELDS + i] = old[from + i] as number;
      if (old[from + HIGH] === high && old[from + LOW] === low) this.#row = index * FIELDS;
    }
    this.#rows = rows;
  }
}
