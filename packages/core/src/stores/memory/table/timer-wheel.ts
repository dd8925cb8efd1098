import type { Rows } from './rows.js';

/** The rows that are due from `startMs` up to, not including, `endMs`, in any order. */
interface Slot {
  /** The number that rows store. */
  readonly number: number;
  startMs: number;
  endMs: number;
  first: number;
}

/** Slots of one level are 8 times as wide as those of the level below. */
const FACTOR = 8;

/** Rows that are due later than this (about 8,900 years) share the last slot. */
const FARTHEST_MS = FACTOR ** 16;

/**
 * Orders rows by the time when they are due, to within an eighth of the time left. Each row has a constant price.
 *
 * A row that is due in `d` goes into a slot that is at most `d / 8` wide. There are at most about 60 slots of each
 * width, so the sorted list of slots stays short, however many rows there are. When a slot comes near, its rows move to
 * narrower slots. A row whose time moves later stays where it is until its slot is looked at.
 *
 * After Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP 1987.
 */
export class TimerWheel {
  readonly #rows: Rows;
  /** By start; if two start together, the narrow one comes first. */
  readonly #slots: Slot[] = [];
  /** Slots by number minus 1, and those that are not in use. */
  readonly #numbered: Slot[] = [];
  readonly #unused: Slot[] = [];

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  add(row: number, nowMs: number): void {
    const slot = this.#slotFor(this.#rows.dueMs(row), nowMs);
    const { first } = slot;
    this.#rows.putFirst(row, slot.number, first);
    if (first !== 0) this.#rows.setPrevious(first, row);
    slot.first = row;
  }

  remove(row: number): void {
    const slot = this.#slotOf(row);
    if (!slot) return;
    const next = this.#rows.next(row);
    const previous = this.#rows.previous(row);
    if (next !== 0) this.#rows.setPrevious(next, previous);
    if (previous !== 0) this.#rows.setNext(previous, next);
    else slot.first = next;
    this.#rows.takeOut(row);
    if (slot.first === 0) this.#close(slot);
  }

  /** Call it when the time of a row has changed. */
  moved(row: number, nowMs: number): void {
    const slot = this.#slotOf(row);
    if (slot && this.#rows.dueMs(row) >= slot.startMs) return;
    this.remove(row);
    this.add(row, nowMs);
  }

  /**
   * Removes and returns a row that is due by `nowMs`, or returns 0 if there is none. It looks at no more rows than
   * `budget.looks`, and reduces that number.
   */
  takeDue(nowMs: number, budget: { looks: number }): number {
    for (let slot = this.#slots[0]; slot && slot.startMs <= nowMs && budget.looks > 0; slot = this.#slots[0]) {
      const row = slot.first;
      budget.looks -= 1;
      this.remove(row);
      if (this.#rows.dueMs(row) <= nowMs) return row;
      this.add(row, nowMs);
    }
    return 0;
  }

  /**
   * Removes and returns the row that is due first, to within an eighth of the time left, or returns 0 if there is none.
   * If `budget.looks` rows are not enough to find it, it returns the earliest row that it looked at. The next call
   * continues from there. It reduces `budget.looks`.
   */
  takeFirst(nowMs: number, budget: { looks: number }): number {
    let earliest = 0;
    for (let slot = this.#slots[0]; slot; slot = this.#slots[0]) {
      if (budget.looks <= 0 && earliest !== 0) return this.#takeOneOf(earliest, this.#slots[1]?.first ?? earliest);
      budget.looks -= 1;
      const row = slot.first;
      const { startMs, endMs } = slot;
      const isFine = endMs - startMs <= Math.max(1, (endMs - nowMs) / FACTOR);
      this.remove(row);
      const dueMs = this.#rows.dueMs(row);
      if (dueMs <= nowMs || (isFine && dueMs < endMs)) return row;
      this.add(row, nowMs);
      if (earliest === 0 || dueMs < this.#rows.dueMs(earliest)) earliest = row;
    }
    return 0;
  }

  /** Removes and returns the row that is due earlier. */
  #takeOneOf(one: number, other: number): number {
    const row = this.#rows.dueMs(other) < this.#rows.dueMs(one) ? other : one;
    this.remove(row);
    return row;
  }

  #slotOf(row: number): Slot | undefined {
    return this.#numbered[this.#rows.slot(row) - 1];
  }

  /** Returns the slot for a time, and creates it if needed. */
  #slotFor(dueMs: number, nowMs: number): Slot {
    const timeMs = Math.min(dueMs, nowMs + FARTHEST_MS);
    const leftMs = timeMs - nowMs;
    let widthMs = 1;
    while (leftMs >= widthMs * FACTOR * FACTOR) widthMs *= FACTOR;
    const startMs = Math.floor(timeMs / widthMs) * widthMs;
    const endMs = timeMs < dueMs ? Number.POSITIVE_INFINITY : startMs + widthMs;
    const index = this.#indexOf(startMs, endMs);
    const found = this.#slots[index];
    if (found && found.startMs === startMs && found.endMs === endMs) return found;
    const slot = this.#open(startMs, endMs);
    this.#slots.splice(index, 0, slot);
    return slot;
  }

  #open(startMs: number, endMs: number): Slot {
    let slot = this.#unused.pop();
    if (!slot) {
      slot = { number: this.#numbered.length + 1, startMs, endMs, first: 0 };
      this.#numbered.push(slot);
    }
    slot.startMs = startMs;
    slot.endMs = endMs;
    return slot;
  }

  #close(slot: Slot): void {
    this.#slots.splice(this.#indexOf(slot.startMs, slot.endMs), 1);
    this.#unused.push(slot);
  }

  /** Returns the position of a slot among the others, or the position that it would have. */
  #indexOf(startMs: number, endMs: number): number {
    let low = 0;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const slot = this.#slots[middle] as Slot;
      if (slot.startMs < startMs || (slot.startMs === startMs && slot.endMs < endMs)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
