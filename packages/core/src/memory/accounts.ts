import type { Layout } from '../algorithms/kernel.js';
import type { Account } from '../algorithms/standing.js';
import { Blocks } from './blocks.js';
import { AS_OBJECT, HAS_PENALTY, IN_BLOCK, INLINE, type Rows } from './rows.js';

/** Of an account without them, its block's end and its last admission are no numbers of their own. */
const NO_BLOCK = 0;
const NO_ADMISSION = -1;
const PENALTY = 2;

/** Of a row whose numbers are in a block: which, and how many. */
const BLOCK = 0;
const LENGTH = 1;

/**
 * The accounts of rows: three numbers stand in the row itself, others in a block. A state that is no list of numbers, or one
 * too long to be copied for each question, stays the object that it is, for as long as its row is kept.
 */
export class Accounts {
  readonly #rows: Rows;
  readonly #blocks = new Blocks();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The account of a row: `scratch`, which has a state of the same kernel, or the object that is kept. */
  read(row: number, layout: Layout | undefined, scratch: Account): Account {
    if (layout === undefined || this.#rows.hasMark(row, AS_OBJECT)) return this.#rows.object(row) as Account;
    const inRow = this.#rows.page(row).numbers;
    const at = this.#rows.offset(row);
    const hasPenalty = this.#rows.hasMark(row, HAS_PENALTY);
    if (this.#rows.hasMark(row, IN_BLOCK)) {
      const block = inRow[at + BLOCK] as number;
      const length = inRow[at + LENGTH] as number;
      read(
        scratch,
        layout,
        hasPenalty,
        this.#blocks.numbers(block, length),
        this.#blocks.offset(block, length),
        length,
      );
    } else {
      read(scratch, layout, hasPenalty, inRow, at, INLINE);
    }
    return scratch;
  }

  /** Returns true when from now on the row keeps the object itself, which then is nobody else's any more. */
  write(row: number, layout: Layout | undefined, account: Account): boolean {
    const hasPenalty = account.blockEndsMs !== NO_BLOCK || account.admittedMs !== NO_ADMISSION;
    const length =
      layout === undefined ? Number.POSITIVE_INFINITY : layout.length(account.state) + (hasPenalty ? PENALTY : 0);
    if (layout === undefined || length > Blocks.LARGEST || this.#rows.hasMark(row, AS_OBJECT)) {
      return this.#keepObject(row, account);
    }
    const inRow = this.#rows.page(row).numbers;
    const at = this.#rows.offset(row);
    this.#rows.setMark(row, HAS_PENALTY, hasPenalty);
    if (length === INLINE) {
      this.#releaseBlock(row);
      write(account, layout, hasPenalty, inRow, at);
    } else {
      const block = this.#blockFor(row, length);
      write(account, layout, hasPenalty, this.#blocks.numbers(block, length), this.#blocks.offset(block, length));
    }
    return false;
  }

  /** Of a row that is about to go. */
  release(row: number): void {
    this.#releaseBlock(row);
    if (this.#rows.hasMark(row, AS_OBJECT)) this.#rows.setObject(row, undefined);
  }

  clear(): void {
    this.#blocks.clear();
  }

  #keepObject(row: number, account: Account): boolean {
    if (this.#rows.object(row) === account) return false;
    this.#releaseBlock(row);
    this.#rows.setMark(row, AS_OBJECT, true);
    this.#rows.setObject(row, account);
    return true;
  }

  /** The row's block if it is of the right size, else another in its place. */
  #blockFor(row: number, length: number): number {
    const inRow = this.#rows.page(row).numbers;
    const at = this.#rows.offset(row);
    const isKept = this.#rows.hasMark(row, IN_BLOCK) && Blocks.areAlike(inRow[at + LENGTH] as number, length);
    if (!isKept) {
      this.#releaseBlock(row);
      this.#rows.setMark(row, IN_BLOCK, true);
      inRow[at + BLOCK] = this.#blocks.take(length);
    }
    inRow[at + LENGTH] = length;
    return inRow[at + BLOCK] as number;
  }

  #releaseBlock(row: number): void {
    if (!this.#rows.hasMark(row, IN_BLOCK)) return;
    const inRow = this.#rows.page(row).numbers;
    const at = this.#rows.offset(row);
    this.#blocks.release(inRow[at + BLOCK] as number, inRow[at + LENGTH] as number);
    this.#rows.setMark(row, IN_BLOCK, false);
  }
}

function read(
  account: Account,
  layout: Layout,
  hasPenalty: boolean,
  numbers: Float64Array,
  from: number,
  length: number,
): void {
  account.blockEndsMs = hasPenalty ? (numbers[from] as number) : NO_BLOCK;
  account.admittedMs = hasPenalty ? (numbers[from + 1] as number) : NO_ADMISSION;
  const before = hasPenalty ? PENALTY : 0;
  layout.read(account.state, numbers, from + before, length - before);
}

function write(account: Account, layout: Layout, hasPenalty: boolean, numbers: Float64Array, from: number): void {
  if (hasPenalty) {
    numbers[from] = account.blockEndsMs;
    numbers[from + 1] = account.admittedMs;
  }
  layout.write(account.state, numbers, from + (hasPenalty ? PENALTY : 0));
}
