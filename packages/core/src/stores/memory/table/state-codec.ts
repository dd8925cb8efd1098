import type { Layout } from '../../../algorithms/kernel.js';
import type { KeyState } from '../../../algorithms/limit-state.js';
import { NumberPool } from './number-pool.js';
import { AS_OBJECT, HAS_PENALTY, IN_BLOCK, INLINE, marksOf, offsetOf, type Rows } from './rows.js';
import type { Page } from './slab.js';

/** The block's end and the last admission of a key state that has none: they take no room then. */
const NO_BLOCK = 0;
const NO_ADMISSION = -1;
/** How many numbers they take. */
const PENALTY = 2;

/** The stamp of a key state that no block of numbers has. */
const NOWHERE = 0;

/** Of a row whose numbers are in a block: which block, and how many numbers. */
const BLOCK = 0;
const LENGTH = 1;
/** Says which writing of which row it was that these numbers come from. */
const STAMP = 2;

/**
 * Writes key states into rows, and reads them back: three numbers stand in the row itself, more than three in a block of
 * the number pool. A state that is no list of numbers, or one that is too long to be copied for each read, stays the object
 * that it is, for as long as its row is kept.
 */
export class StateCodec {
  readonly #rows: Rows;
  readonly #pool = new NumberPool();
  #stamps = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The key state of a row of this page: in `scratch`, which has a state of the same kernel, or the row's own object. */
  read(page: Page, row: number, layout: Layout | undefined, scratch: KeyState): KeyState {
    const marks = marksOf(page, row);
    if (layout === undefined || (marks & AS_OBJECT) !== 0) return this.#rows.object(row) as KeyState;
    const { numbers } = page;
    const at = offsetOf(row);
    if ((marks & IN_BLOCK) === 0) {
      scratch.stamp = NOWHERE;
      read(scratch, layout, marks, numbers, at, INLINE);
    } else if (scratch.stamp !== numbers[at + STAMP]) {
      const block = numbers[at + BLOCK] as number;
      const length = numbers[at + LENGTH] as number;
      scratch.stamp = numbers[at + STAMP] as number;
      read(scratch, layout, marks, this.#pool.numbers(block, length), this.#pool.offset(block, length), length);
    }
    return scratch;
  }

  /** Returns true when the row keeps the object itself from now on, so that nobody else may write to it. */
  write(page: Page, row: number, layout: Layout | undefined, keyState: KeyState): boolean {
    const marks = marksOf(page, row);
    if (layout === undefined || (marks & AS_OBJECT) !== 0) return this.#keepObject(row, keyState);
    const penalty = keyState.blockEndsMs !== NO_BLOCK || keyState.admittedMs !== NO_ADMISSION ? HAS_PENALTY : 0;
    const length = layout.length(keyState.state) + (penalty ? PENALTY : 0);
    if (length > NumberPool.LARGEST) return this.#keepObject(row, keyState);
    if ((marks & HAS_PENALTY) !== penalty) this.#rows.setMarks(row, (marks & ~HAS_PENALTY) | penalty);
    if (length === INLINE) {
      if ((marks & IN_BLOCK) !== 0) this.#releaseBlock(row);
      keyState.stamp = NOWHERE;
      write(keyState, layout, penalty, page.numbers, offsetOf(row), false);
    } else {
      const isReadThere = this.#hasBlockFor(page, row, length) && (marks & HAS_PENALTY) === penalty;
      const block = this.#blockFor(page, row, length);
      const numbers = this.#pool.numbers(block, length);
      this.#stamps += 1;
      keyState.stamp = this.#stamps;
      page.numbers[offsetOf(row) + STAMP] = this.#stamps;
      write(keyState, layout, penalty, numbers, this.#pool.offset(block, length), isReadThere);
    }
    return false;
  }

  /** Gives up what stands beside a row that is about to go. */
  release(row: number): void {
    const marks = this.#rows.marks(row);
    if ((marks & IN_BLOCK) !== 0) this.#releaseBlock(row);
    if ((marks & AS_OBJECT) !== 0) this.#rows.setObject(row, undefined);
  }

  clear(): void {
    this.#pool.clear();
  }

  #keepObject(row: number, keyState: KeyState): boolean {
    if (this.#rows.object(row) === keyState) return false;
    if ((this.#rows.marks(row) & IN_BLOCK) !== 0) this.#releaseBlock(row);
    this.#rows.setMarks(row, this.#rows.marks(row) | AS_OBJECT);
    this.#rows.setObject(row, keyState);
    return true;
  }

  /** The row's block if it is of the right size, else another in its place. */
  #blockFor(page: Page, row: number, length: number): number {
    const inRow = page.numbers;
    const at = offsetOf(row);
    if (!this.#hasBlockFor(page, row, length)) {
      if ((marksOf(page, row) & IN_BLOCK) !== 0) this.#releaseBlock(row);
      this.#rows.setMarks(row, this.#rows.marks(row) | IN_BLOCK);
      inRow[at + BLOCK] = this.#pool.take(length);
    }
    inRow[at + LENGTH] = length;
    return inRow[at + BLOCK] as number;
  }

  #hasBlockFor(page: Page, row: number, length: number): boolean {
    if ((marksOf(page, row) & IN_BLOCK) === 0) return false;
    return NumberPool.areAlike(page.numbers[offsetOf(row) + LENGTH] as number, length);
  }

  #releaseBlock(row: number): void {
    const inRow = this.#rows.page(row).numbers;
    const at = offsetOf(row);
    this.#pool.release(inRow[at + BLOCK] as number, inRow[at + LENGTH] as number);
    this.#rows.setMarks(row, this.#rows.marks(row) & ~IN_BLOCK);
  }
}

function read(
  keyState: KeyState,
  layout: Layout,
  marks: number,
  numbers: Float64Array,
  from: number,
  length: number,
): void {
  if ((marks & HAS_PENALTY) === 0) {
    keyState.blockEndsMs = NO_BLOCK;
    keyState.admittedMs = NO_ADMISSION;
    layout.read(keyState.state, numbers, from, length);
  } else {
    keyState.blockEndsMs = numbers[from] as number;
    keyState.admittedMs = numbers[from + 1] as number;
    layout.read(keyState.state, numbers, from + PENALTY, length - PENALTY);
  }
}

function write(
  keyState: KeyState,
  layout: Layout,
  marks: number,
  numbers: Float64Array,
  from: number,
  isReadThere: boolean,
): void {
  if ((marks & HAS_PENALTY) === 0) {
    layout.write(keyState.state, numbers, from, isReadThere);
  } else {
    numbers[from] = keyState.blockEndsMs;
    numbers[from + 1] = keyState.admittedMs;
    layout.write(keyState.state, numbers, from + PENALTY, isReadThere);
  }
}
