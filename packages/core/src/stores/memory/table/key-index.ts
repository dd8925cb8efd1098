import type { Rows } from './rows.js';

/** The index consists of several smaller tables, so that none takes long to grow or to shrink. */
const SHARDS = 256;

/**
 * An entry holds the number of the row and, above it, 8 bits of the fingerprint, so that few rows are read without
 * need.
 */
const ROW = 0x00ffffff;
const TAG = ~ROW;

const SMALLEST = 8;
const GROWTH = 1.5;
const FULLEST = 0.8;
const EMPTIEST = 0.25;

/** The table of an empty shard; it is never written to. */
const EMPTY = new Int32Array(1);

/**
 * Finds rows by fingerprint. It uses open addressing with linear probing: a row stands at its place or soon after it,
 * and no entry between the two is empty.
 */
export class KeyIndex {
  readonly #rows: Rows;
  readonly #tables: Int32Array[] = new Array(SHARDS).fill(EMPTY);
  readonly #counts = new Int32Array(SHARDS);

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Returns the row of this fingerprint, or 0 if there is none. */
  find(high: number, low: number): number {
    const table = this.#tables[high >>> 24] as Int32Array;
    const tag = (high << 8) & TAG;
    let at = indexOf(low, table);
    for (let entry = table[at] as number; entry !== 0; entry = table[at] as number) {
      if ((entry & TAG) === tag && this.#rows.isFor(entry & ROW, high, low)) return entry & ROW;
      at = after(at, table);
    }
    return 0;
  }

  /** Adds the row of a fingerprint that is not in the index. */
  add(row: number, high: number, low: number): void {
    const shard = high >>> 24;
    const count = (this.#counts[shard] as number) + 1;
    this.#counts[shard] = count;
    const table = this.#tables[shard] as Int32Array;
    if (count > table.length * FULLEST) this.#resize(shard, Math.max(SMALLEST, Math.ceil(table.length * GROWTH)));
    enter(this.#tables[shard] as Int32Array, ((high << 8) & TAG) | row, low);
  }

  delete(row: number): void {
    const shard = this.#rows.high(row) >>> 24;
    const table = this.#tables[shard] as Int32Array;
    let at = indexOf(this.#rows.low(row), table);
    while (((table[at] as number) & ROW) !== row) at = after(at, table);
    this.#close(table, at);
    const count = (this.#counts[shard] as number) - 1;
    this.#counts[shard] = count;
    if (count === 0) this.#tables[shard] = EMPTY;
    else if (count < table.length * EMPTIEST && table.length > SMALLEST) this.#resize(shard, table.length >>> 1);
  }

  clear(): void {
    this.#tables.fill(EMPTY);
    this.#counts.fill(0);
  }

  /** Empties an entry. Later entries that could not be found any more move up. */
  #close(table: Int32Array, at: number): void {
    let hole = at;
    for (let i = after(at, table); table[i] !== 0; i = after(i, table)) {
      const wanted = indexOf(this.#rows.low((table[i] as number) & ROW), table);
      if (distance(wanted, i, table) < distance(hole, i, table)) continue;
      table[hole] = table[i] as number;
      hole = i;
    }
    table[hole] = 0;
  }

  #resize(shard: number, length: number): void {
    const from = this.#tables[shard] as Int32Array;
    const table = new Int32Array(length);
    for (let i = 0; i < from.length; i += 1) {
      const entry = from[i] as number;
      if (entry !== 0) enter(table, entry, this.#rows.low(entry & ROW));
    }
    this.#tables[shard] = table;
  }
}

function enter(table: Int32Array, entry: number, low: number): void {
  let at = indexOf(low, table);
  while (table[at] !== 0) at = after(at, table);
  table[at] = entry;
}

/** Divides the range of fingerprints evenly, for tables of any length. */
function indexOf(low: number, { length }: Int32Array): number {
  return Math.floor(((low >>> 0) * length) / 2 ** 32);
}

function after(at: number, { length }: Int32Array): number {
  return at + 1 === length ? 0 : at + 1;
}

function distance(from: number, to: number, { length }: Int32Array): number {
  return to >= from ? to - from : to - from + length;
}
