import { type Page, Slab } from './slab.js';

/** A row: 7 doubles, the last four of which are 1 double and 6 integers. */
const DOUBLES = 7;
const WORDS = 2 * DOUBLES;
const PAGE_SHIFT = 10;
const CELL = (1 << PAGE_SHIFT) - 1;

/** Where in a row its doubles are. */
const EXPIRES = 3;

/** Where in a row its integers are. */
const LEAD = 8;
const MARKS = 9;
const HIGH = 10;
const LOW = 11;
const NEXT = 12;
const PREVIOUS = 13;

/** How many numbers of a key state a row has room for: its first doubles. */
export const INLINE = 3;

/** The first of the marks, which share an integer with the row's slot: the row stands in the wheel of the exhausted. */
export const IS_EXHAUSTED = 1;
/** Its key state begins with a block's end and a last admission. */
export const HAS_PENALTY = 2;
/** Its key state is in a block of the number pool, which its first doubles name. */
export const IN_BLOCK = 4;
/** Its key state is an object beside the row. */
export const AS_OBJECT = 8;
/** The slot's number stands above the marks. */
const SLOT_SHIFT = 4;
const ALL_MARKS = (1 << SLOT_SHIFT) - 1;

/**
 * A lead is by how much a row's exhaustion ends before the row expires. One too long for milliseconds is negative, in
 * units of these.
 */
const COARSE_MS = 4096;
const LONGEST = 0x7fffffff;
const NOT_EXHAUSTED = -0x80000000;

/**
 * What the store keeps of its keys: 56 bytes for each, in plain memory which the garbage collector does not look into.
 * A row is known by its number, from 1 on; 0 is none.
 *
 * Its first doubles and the marks about them belong to `StateCodec`, its slot and links to `TimerWheel`.
 */
export class Rows {
  readonly #slab = new Slab(DOUBLES, PAGE_SHIFT);

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
    return this.#slab.pages[row >>> PAGE_SHIFT] as Page;
  }

  /** What stands beside a row whose key state is no list of numbers. */
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

  /** Some of `IS_EXHAUSTED`, `HAS_PENALTY`, `IN_BLOCK` and `AS_OBJECT`. */
  marks(row: number): number {
    return marksOf(this.page(row), row);
  }

  setMarks(row: number, marks: number): void {
    this.#set(row, MARKS, (this.#get(row, MARKS) & ~ALL_MARKS) | marks);
  }

  /** The number of the wheel's slot that the row stands in; 0 when it stands in none. */
  slot(row: number): number {
    return this.#get(row, MARKS) >>> SLOT_SHIFT;
  }

  setSlot(row: number, slot: number): void {
    this.#set(row, MARKS, (slot << SLOT_SHIFT) | (this.#get(row, MARKS) & ALL_MARKS));
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
    return this.page(row).numbers[offsetOf(row) + EXPIRES] as number;
  }

  exhaustedUntilMs(row: number): number {
    const lead = this.#get(row, LEAD);
    if (lead === NOT_EXHAUSTED) return 0;
    return this.expiresMs(row) - (lead >= 0 ? lead : -lead * COARSE_MS);
  }

  /** When the wheel has to look at the row. */
  dueMs(row: number): number {
    return (this.marks(row) & IS_EXHAUSTED) !== 0 ? this.exhaustedUntilMs(row) : this.expiresMs(row);
  }

  #get(row: number, field: number): number {
    return this.page(row).words[(row & CELL) * WORDS + field] as number;
  }

  #set(row: number, field: number, value: number): void {
    this.page(row).words[(row & CELL) * WORDS + field] = value;
  }
}

/** Where in its page's `numbers` a row begins. */
export function offsetOf(row: number): number {
  return (row & CELL) * DOUBLES;
}

/** As `Rows.marks`, where the row's page is at hand. */
export function marksOf(page: Page, row: number): number {
  return (page.words[(row & CELL) * WORDS + MARKS] as number) & ALL_MARKS;
}

/** Whether a row, which may have been released since it was found on this page, is still one of this fingerprint. */
export function isStillFor(page: Page, row: number, high: number, low: number): boolean {
  const { words } = page;
  const at = (row & CELL) * WORDS;
  return words[at + LOW] === low && words[at + HIGH] === high && (words[at + MARKS] as number) > ALL_MARKS;
}

/**
 * When the row is as if it had never been, and until when it is exhausted (0: it is not). Of a row that is exhausted
 * until more than 24 days before it expires, the latter is rounded up, by at most 4 seconds. Returns false when the
 * wheel that it stands in need not change: the row comes up there no later than it must.
 */
export function setTimes(page: Page, row: number, expiresMs: number, exhaustedUntilMs: number): boolean {
  const { numbers, words } = page;
  const cell = row & CELL;
  const expires = cell * DOUBLES + EXPIRES;
  const lead = exhaustedUntilMs === 0 ? NOT_EXHAUSTED : leadOf(expiresMs - exhaustedUntilMs);
  const laterMs = expiresMs - (numbers[expires] as number);
  const stays = words[cell * WORDS + LEAD] === lead && (laterMs === 0 || (laterMs > 0 && lead === NOT_EXHAUSTED));
  numbers[expires] = expiresMs;
  words[cell * WORDS + LEAD] = lead;
  return !stays;
}

/** So many milliseconds as an integer of 32 bits, rounded down. */
function leadOf(ms: number): number {
  return ms <= LONGEST ? ms : -Math.min(LONGEST, Math.floor(ms / COARSE_MS));
}
