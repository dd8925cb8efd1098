import { type Page, Slab } from './slab.js';

/** A row has the size of 7 doubles. The last four hold 1 double and 6 integers. */
const DOUBLES = 7;
const WORDS = 2 * DOUBLES;
const PAGE_SHIFT = 10;
const CELL = (1 << PAGE_SHIFT) - 1;

/** The positions of the doubles in a row. */
const EXPIRES = 3;

/** The positions of the integers in a row. */
const LEAD = 8;
export const MARKS = 9;
const HIGH = 10;
const LOW = 11;
const NEXT = 12;
const PREVIOUS = 13;

/** How many numbers of a state fit into the row itself: its first doubles. */
export const INLINE = 3;

/** How much of its quota the key of a row has used, as far as it matters for who is forgotten first: one of four. */
export type Rank = number;
/** At most an eighth, or one unit. */
export const LITTLE: Rank = 0;
/** At most half. */
export const SOME: Rank = 1;
/** More than half. A key that is no longer exhausted has this rank until it expires, or is written again. */
export const MUCH: Rank = 2;
/** So much that it admits nothing now. */
export const EXHAUSTED: Rank = 3;

/** The first of the marks, which share an integer with the slot of the row: the rank of the wheel that the row is in. */
export const RANK = 3;
/** The state begins with the end of a block and a last admission. */
export const HAS_PENALTY = 4;
/** The state is in a block of the number pool. The first doubles name the block. */
export const IN_BLOCK = 8;
/** The state is an object beside the row. */
export const AS_OBJECT = 16;
/** With `HAS_PENALTY`: the number of strikes comes third. */
export const HAS_STRIKES = 32;
/** The number of the slot stands above the marks. */
const SLOT_SHIFT = 6;
const ALL_MARKS = (1 << SLOT_SHIFT) - 1;

/**
 * A lead is how long before the expiry of the row its exhaustion ends. If it is too long for milliseconds, it is
 * negative and counts units of this length. The lowest three numbers are the ranks of keys that are not exhausted.
 */
const COARSE_MS = 4096;
const LONGEST = 0x7fffffff;
const NOT_EXHAUSTED = -0x80000000;
const LAST_RANK = NOT_EXHAUSTED + MUCH;

/** The time until which a key is exhausted; or, for a key that is not exhausted, minus its rank. */
export type Exhaustion = number;

/**
 * Returns the exhaustion of a key that is not exhausted.
 *
 * @param used - units that count now
 */
export function notExhausted(used: number, quota: number): Exhaustion {
  if (used <= 1 || used * 8 <= quota) return LITTLE;
  return used * 2 <= quota ? -SOME : -MUCH;
}

/**
 * The data of the table: 56 bytes for each key, in plain memory that the garbage collector does not search. A row is
 * known by its number, from 1 on. 0 stands for no row.
 *
 * `StateCodec` owns the first doubles and the marks about them. `TimerWheel` owns the slot and the links.
 */
export class Rows {
  readonly #slab = new Slab(DOUBLES, PAGE_SHIFT);
  readonly #pages = this.#slab.pages;

  take(high: number, low: number): number {
    const row = this.#slab.take();
    const { words } = this.page(row);
    const at = (row & CELL) * WORDS;
    words[at + MARKS] = 0;
    words[at + HIGH] = high;
    words[at + LOW] = low;
    return row;
  }

  release(row: number): void {
    this.#set(row, MARKS, 0);
    this.#slab.release(row);
  }

  clear(): void {
    this.#slab.clear();
  }

  page(row: number): Page {
    return this.#pages[row >>> PAGE_SHIFT] as Page;
  }

  /** The object beside a row whose state is no list of numbers. */
  object(row: number): unknown {
    return this.page(row).objects?.[row & CELL];
  }

  setObject(row: number, object: unknown): void {
    const page = this.page(row);
    page.objects ??= new Array(CELL + 1);
    page.objects[row & CELL] = object;
  }

  isFor(row: number, high: number, low: number): boolean {
    const { words } = this.page(row);
    const at = (row & CELL) * WORDS;
    return words[at + LOW] === low && words[at + HIGH] === high;
  }

  high(row: number): number {
    return this.#get(row, HIGH);
  }

  low(row: number): number {
    return this.#get(row, LOW);
  }

  /** The rank, and some of `HAS_PENALTY`, `IN_BLOCK`, `AS_OBJECT` and `HAS_STRIKES`. */
  marks(row: number): number {
    return this.#get(row, MARKS) & ALL_MARKS;
  }

  setMarks(row: number, marks: number): void {
    this.#set(row, MARKS, (this.#get(row, MARKS) & ~ALL_MARKS) | marks);
  }

  /** The number of the wheel's slot that holds the row; 0 if there is none. */
  slot(row: number): number {
    return this.#get(row, MARKS) >>> SLOT_SHIFT;
  }

  /** Makes a row the first one of a slot, before the row that was first. */
  putFirst(row: number, slot: number, next: number): void {
    const { words } = this.page(row);
    const at = (row & CELL) * WORDS;
    words[at + MARKS] = (slot << SLOT_SHIFT) | ((words[at + MARKS] as number) & ALL_MARKS);
    words[at + NEXT] = next;
    words[at + PREVIOUS] = 0;
  }

  /** Notes that a row is in no slot. */
  takeOut(row: number): void {
    this.#set(row, MARKS, this.#get(row, MARKS) & ALL_MARKS);
  }

  next(row: number): number {
    return this.#get(row, NEXT);
  }

  setNext(row: number, next: number): void {
    this.#set(row, NEXT, next);
  }

  previous(row: number): number {
    return this.#get(row, PREVIOUS);
  }

  setPrevious(row: number, previous: number): void {
    this.#set(row, PREVIOUS, previous);
  }

  expiresMs(row: number): number {
    return this.page(row).numbers[(row & CELL) * DOUBLES + EXPIRES] as number;
  }

  exhaustedUntilMs(row: number): number {
    const lead = this.#get(row, LEAD);
    if (lead <= LAST_RANK) return 0;
    return this.expiresMs(row) - (lead >= 0 ? lead : -lead * COARSE_MS);
  }

  /** The rank that the row has at this time. */
  rankAt(row: number, nowMs: number): Rank {
    const lead = this.#get(row, LEAD);
    if (lead <= LAST_RANK) return lead - NOT_EXHAUSTED;
    return this.exhaustedUntilMs(row) > nowMs ? EXHAUSTED : MUCH;
  }

  /** The time at which the wheel has to look at the row. */
  dueMs(row: number): number {
    return (this.marks(row) & RANK) === EXHAUSTED ? this.exhaustedUntilMs(row) : this.expiresMs(row);
  }

  #get(row: number, field: number): number {
    return (this.#pages[row >>> PAGE_SHIFT] as Page).words[(row & CELL) * WORDS + field] as number;
  }

  #set(row: number, field: number, value: number): void {
    (this.#pages[row >>> PAGE_SHIFT] as Page).words[(row & CELL) * WORDS + field] = value;
  }
}

/** The position in its page's `numbers` at which a row begins. */
export function offsetOf(row: number): number {
  return (row & CELL) * DOUBLES;
}

/** Like `Rows.marks`, for a row whose page is known. */
export function marksOf(page: Page, row: number): number {
  return (page.words[(row & CELL) * WORDS + MARKS] as number) & ALL_MARKS;
}

/** A row that was found for a fingerprint, on its page; no page if none was found. */
export interface FoundRow {
  readonly page: Page | undefined;
  readonly row: number;
  /** Where it begins in the numbers of its page. Its integers begin at twice that place. */
  readonly at: number;
  readonly high: number;
  readonly low: number;
}

/** Whether a row was found, and still has its fingerprint. It may have been released since. */
export function isStillFor({ page, row, high, low }: FoundRow): boolean {
  if (page === undefined) return false;
  const { words } = page;
  const at = (row & CELL) * WORDS;
  return words[at + LOW] === low && words[at + HIGH] === high && (words[at + MARKS] as number) > ALL_MARKS;
}

/**
 * Sets when the row expires, and the exhaustion of its key. If the exhaustion ends more than 24 days before the expiry, its
 * end is rounded up by at most 4 seconds. Returns false if the row can stay in its slot of the wheel, because the wheel
 * looks at it early enough.
 */
export function setTimes(page: Page, row: number, expiresMs: number, exhaustion: Exhaustion): boolean {
  const { numbers, words } = page;
  const cell = row & CELL;
  const expires = cell * DOUBLES + EXPIRES;
  const lead = exhaustion <= 0 ? NOT_EXHAUSTED - exhaustion : leadOf(expiresMs - exhaustion);
  const laterMs = expiresMs - (numbers[expires] as number);
  const stays = words[cell * WORDS + LEAD] === lead && (laterMs === 0 || (laterMs > 0 && lead <= LAST_RANK));
  numbers[expires] = expiresMs;
  words[cell * WORDS + LEAD] = lead;
  return !stays;
}

/** Writes a number of milliseconds as a 32-bit integer, rounded down. */
function leadOf(ms: number): number {
  return ms <= LONGEST ? ms : -Math.min(LONGEST - 1 - MUCH, Math.floor(ms / COARSE_MS));
}
