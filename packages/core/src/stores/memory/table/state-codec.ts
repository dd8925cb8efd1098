import type { Layout } from '../../../algorithms/kernel.js';
import { type KeyState, NOWHERE } from '../../../algorithms/key-state.js';
import { NumberPool } from './number-pool.js';
import {
  AS_OBJECT,
  type FoundRow,
  HAS_PENALTY,
  HAS_STRIKES,
  IN_BLOCK,
  INLINE,
  MARKS,
  marksOf,
  offsetOf,
  type Rows,
} from './rows.js';
import type { Page } from './slab.js';

/** A state without a block and a last admission has these values. They are not stored. */
const NO_BLOCK = 0;
const NO_ADMISSION = -1;
const NO_STRIKES = 0;

/** The marks about what comes before the numbers of a state. */
const HEAD = HAS_PENALTY | HAS_STRIKES;

/** Marks of a row that holds more than the numbers of a state, or something else. */
const IS_MORE = HAS_PENALTY | IN_BLOCK | AS_OBJECT;

/** For a row whose numbers are in a block: the block, and how many numbers there are. */
const BLOCK = 0;
const LENGTH = 1;
/** Identifies the row and the write that these numbers come from. */
const STAMP = 2;

/** The block that a limit has set, and the strikes. */
export type Head = Pick<KeyState, 'blockEndsMs' | 'strikes'>;

/** Where numbers are: `length` of them from `from` on. */
export interface NumbersSlice {
  numbers: Float64Array;
  from: number;
  length: number;
}

/**
 * Writes states into rows, and reads them. Up to three numbers stand in the row itself, more in a block of the number
 * pool. A state that is no list of numbers, or is too long to be copied at each read, stays an object for as long as
 * its row is kept.
 */
export class StateCodec {
  readonly #rows: Rows;
  readonly #pool = new NumberPool();
  #stamps = 0;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Returns the state of a row: `scratch`, which has a state of the same kernel, or the object that the row keeps. */
  read(page: Page, row: number, layout: Layout | undefined, scratch: KeyState): KeyState {
    const marks = marksOf(page, row);
    if (layout === undefined || (marks & IS_MORE) !== 0) return this.#readMore(page, row, layout, marks, scratch);
    scratch.stamp = NOWHERE;
    scratch.blockEndsMs = NO_BLOCK;
    scratch.admittedMs = NO_ADMISSION;
    scratch.strikes = NO_STRIKES;
    layout.read(scratch.state, page.numbers, offsetOf(row), INLINE);
    return scratch;
  }

  /** Writes a state into a row. Returns true if the row keeps the object itself; then nobody else may change it. */
  write(page: Page, row: number, layout: Layout | undefined, keyState: KeyState): boolean {
    const { state } = keyState;
    if (
      layout === undefined ||
      headOf(keyState) !== 0 ||
      (marksOf(page, row) & IS_MORE) !== 0 ||
      layout.length(state) !== INLINE
    )
      return this.#writeMore(page, row, layout, keyState);
    keyState.stamp = NOWHERE;
    layout.write(state, page.numbers, offsetOf(row), false);
    return false;
  }

  /**
   * Finds the numbers in the state of a row that was just found. Returns whether the state is nothing but numbers: no
   * block, no last admission. Call `KeyTable.changed` if you change them.
   */
  findNumbers({ page, at }: FoundRow, slice: NumbersSlice): boolean {
    const { numbers, words } = page as Page;
    const marks = words[2 * at + MARKS] as number;
    if ((marks & IS_MORE) === 0) {
      slice.numbers = numbers;
      slice.from = at;
      slice.length = INLINE;
      return true;
    }
    if ((marks & IS_MORE) !== IN_BLOCK) return false;
    const block = numbers[at + BLOCK] as number;
    const length = numbers[at + LENGTH] as number;
    slice.numbers = this.#pool.numbers(block, length);
    slice.from = this.#pool.offset(block, length);
    slice.length = length;
    return true;
  }

  /** Call it after numbers of a row that are not in the row itself were changed where they are: whoever has read them reads again. */
  changed(page: Page, row: number): void {
    this.#stamps += 1;
    page.numbers[offsetOf(row) + STAMP] = this.#stamps;
  }

  /** `read` of any row. */
  #readMore(page: Page, row: number, layout: Layout | undefined, marks: number, scratch: KeyState): KeyState {
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

  /** `write` of any key state to any row. */
  #writeMore(page: Page, row: number, layout: Layout | undefined, keyState: KeyState): boolean {
    const marks = marksOf(page, row);
    if (layout === undefined || (marks & AS_OBJECT) !== 0) return this.#keepObject(row, keyState);
    const head = headOf(keyState);
    const length = layout.length(keyState.state) + headLength(head);
    if (length > NumberPool.LARGEST) return this.#keepObject(row, keyState);
    if ((marks & HEAD) !== head) this.#rows.setMarks(row, (marks & ~HEAD) | head);
    if (length === INLINE) {
      if ((marks & IN_BLOCK) !== 0) this.#releaseBlock(row);
      keyState.stamp = NOWHERE;
      write(keyState, layout, head, page.numbers, offsetOf(row), false);
    } else {
      const inRow = page.numbers;
      const at = offsetOf(row);
      const hasBlock = (marks & IN_BLOCK) !== 0 && NumberPool.areAlike(inRow[at + LENGTH] as number, length);
      if (!hasBlock) this.#takeBlock(page, row, length);
      this.#stamps += 1;
      keyState.stamp = this.#stamps;
      inRow[at + STAMP] = this.#stamps;
      inRow[at + LENGTH] = length;
      const block = inRow[at + BLOCK] as number;
      const isReadThere = hasBlock && (marks & HEAD) === head;
      write(keyState, layout, head, this.#pool.numbers(block, length), this.#pool.offset(block, length), isReadThere);
    }
    return false;
  }

  /** Returns the block and the strikes of a row. */
  head(page: Page, row: number): Head {
    const marks = marksOf(page, row);
    if ((marks & AS_OBJECT) !== 0) return this.#rows.object(row) as KeyState;
    if ((marks & HAS_PENALTY) === 0) return { blockEndsMs: NO_BLOCK, strikes: NO_STRIKES };
    const [numbers, from] = this.#numbersOf(page, row, marks);
    const strikes = (marks & HAS_STRIKES) === 0 ? NO_STRIKES : (numbers[from + 2] as number);
    return { blockEndsMs: numbers[from] as number, strikes };
  }

  /** Removes the block and the strikes of a row. */
  lift(page: Page, row: number): void {
    const marks = marksOf(page, row);
    if ((marks & AS_OBJECT) !== 0) {
      Object.assign(this.#rows.object(row) as KeyState, { blockEndsMs: NO_BLOCK, strikes: NO_STRIKES });
    } else if ((marks & HAS_PENALTY) !== 0) {
      const [numbers, from] = this.#numbersOf(page, row, marks);
      numbers[from] = NO_BLOCK;
      if ((marks & HAS_STRIKES) !== 0) numbers[from + 2] = NO_STRIKES;
      if ((marks & IN_BLOCK) === 0) return;
      // Whoever has read the row before reads it again.
      this.#stamps += 1;
      page.numbers[offsetOf(row) + STAMP] = this.#stamps;
    }
  }

  /** Returns the numbers of a row that are no object, and where they begin. */
  #numbersOf(page: Page, row: number, marks: number): readonly [Float64Array, from: number] {
    const { numbers } = page;
    const at = offsetOf(row);
    if ((marks & IN_BLOCK) === 0) return [numbers, at];
    const block = numbers[at + BLOCK] as number;
    const length = numbers[at + LENGTH] as number;
    return [this.#pool.numbers(block, length), this.#pool.offset(block, length)];
  }

  /** Frees the data beside a row that is about to be released. */
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

  /** Gives the row a block for so many numbers, in place of one that it may have. */
  #takeBlock(page: Page, row: number, length: number): void {
    if ((marksOf(page, row) & IN_BLOCK) !== 0) this.#releaseBlock(row);
    this.#rows.setMarks(row, this.#rows.marks(row) | IN_BLOCK);
    page.numbers[offsetOf(row) + BLOCK] = this.#pool.take(length);
  }

  #releaseBlock(row: number): void {
    const inRow = this.#rows.page(row).numbers;
    const at = offsetOf(row);
    this.#pool.release(inRow[at + BLOCK] as number, inRow[at + LENGTH] as number);
    this.#rows.setMarks(row, this.#rows.marks(row) & ~IN_BLOCK);
  }
}

/** Returns the marks about the head that this state needs. */
function headOf({ blockEndsMs, admittedMs, strikes }: KeyState): number {
  if (strikes !== NO_STRIKES) return HEAD;
  return blockEndsMs !== NO_BLOCK || admittedMs !== NO_ADMISSION ? HAS_PENALTY : 0;
}

/** How many numbers come before those of the state. */
function headLength(marks: number): number {
  if ((marks & HAS_PENALTY) === 0) return 0;
  return (marks & HAS_STRIKES) === 0 ? 2 : 3;
}

function read(
  keyState: KeyState,
  layout: Layout,
  marks: number,
  numbers: Float64Array,
  from: number,
  length: number,
): void {
  const head = headLength(marks);
  keyState.blockEndsMs = head === 0 ? NO_BLOCK : (numbers[from] as number);
  keyState.admittedMs = head === 0 ? NO_ADMISSION : (numbers[from + 1] as number);
  keyState.strikes = head < 3 ? NO_STRIKES : (numbers[from + 2] as number);
  layout.read(keyState.state, numbers, from + head, length - head);
}

function write(
  keyState: KeyState,
  layout: Layout,
  marks: number,
  numbers: Float64Array,
  from: number,
  isReadThere: boolean,
): void {
  const head = headLength(marks);
  if (head > 0) {
    numbers[from] = keyState.blockEndsMs;
    numbers[from + 1] = keyState.admittedMs;
  }
  if (head === 3) numbers[from + 2] = keyState.strikes;
  layout.write(keyState.state, numbers, from + head, isReadThere);
}
