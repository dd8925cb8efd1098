// Why it is so: docs/why/memory-store.md

import type { Layout } from '../../../algorithms/kernel.js';
import type { KeyState } from '../../../algorithms/key-state.js';
import type { Clock } from '../../../values/clock.js';
import { SluiceError } from '../../../values/error.js';
import { Fingerprints, type Start } from './fingerprint.js';
import { KeyIndex } from './key-index.js';
import { Retention } from './retention.js';
import { type Exhaustion, isStillFor, offsetOf, Rows, setTimes } from './rows.js';
import type { Page } from './slab.js';
import { type Head, type NumbersSlice, StateCodec } from './state-codec.js';

/** A set of keys. The same key in another namespace is a different key. */
export interface KeyNamespace {
  /** The result of `KeyTable.startOf`. */
  readonly start: Start;
  /** How the states of these keys are written as numbers; undefined if they hold more than numbers. */
  readonly layout?: Layout | undefined;
}

/** A state whose numbers were changed: where they are, when, and how long the key takes until it is back to its full quota. */
interface ChangedState extends Pick<NumbersSlice, 'numbers'> {
  readonly nowMs: number;
  readonly resetAfterMs: number;
}

/**
 * Points at one key of a table, whether it has a row or not. Its user turns one cursor to key after key, so that
 * finding a key allocates nothing.
 */
export class KeyCursor {
  namespace!: KeyNamespace;
  key = '';
  /** The fingerprint of the key, its row (0 if there is none), the page of the row, and where the row begins there. */
  high = 0;
  low = 0;
  row = 0;
  page: Page | undefined;
  at = 0;
  /** Whether the fingerprint is not that of the namespace. */
  isOutdated = true;

  enter(namespace: KeyNamespace): void {
    if (namespace === this.namespace) return;
    this.namespace = namespace;
    this.isOutdated = true;
  }
}

/** The clock of a closed table. */
const CLOSED: Pick<Clock, 'now'> = {
  now() {
    throw new SluiceError('SLUICE_CLOSED', 'the store was closed');
  },
};

/**
 * Keeps the states of a bounded number of keys, by their fingerprints. It knows when a state expires, and roughly how much
 * its key has used: the more, the later it is evicted. It does not know what a state means.
 */
export class KeyTable {
  readonly maxKeys: number;
  /** Its `now` throws `SLUICE_CLOSED` if the table is closed. */
  clock: Pick<Clock, 'now'>;
  readonly #fingerprints = new Fingerprints();
  readonly #rows = new Rows();
  readonly #index = new KeyIndex(this.#rows);
  readonly codec = new StateCodec(this.#rows);
  /** What only a snapshot reads of it. */
  readonly rows = this.#rows;
  readonly fingerprints = this.#fingerprints;
  readonly #retention: Retention;
  #evicted = 0;

  constructor(maxKeys: number, clock: Clock) {
    this.maxKeys = maxKeys;
    this.clock = clock;
    this.#retention = new Retention(
      this.#rows,
      () => clock.now(),
      (row) => this.#drop(row),
    );
  }

  /** How many keys have a state now. */
  get size(): number {
    return this.#retention.size;
  }

  /** Returns the start of a namespace's fingerprints. The same names have the same start. */
  startOf(...names: readonly string[]): Start {
    return this.#fingerprints.startOf(...names);
  }

  /** Turns the cursor to a key, and finds its row. Returns whether there is one. */
  find(cursor: KeyCursor, key: string): boolean {
    if (cursor.isOutdated || key !== cursor.key) this.#identify(cursor, key);
    else if (!isStillFor(cursor)) this.#findRow(cursor);
    return cursor.page !== undefined;
  }

  /**
   * Keeps the state of a key, whose numbers were changed where they are, until it is back to its full quota. The key is not
   * exhausted. The times come in an object, because passing a time as it is makes an object for it.
   */
  changed({ page, row }: KeyCursor, { numbers, nowMs, resetAfterMs }: ChangedState, exhaustion: Exhaustion): void {
    if (numbers !== (page as Page).numbers) this.codec.changed(page as Page, row);
    if (setTimes(page as Page, row, nowMs + resetAfterMs, exhaustion)) this.#retention.moved(row, nowMs);
  }

  /** Reads the state of a key that was just found. Returns `scratch`, or the object that the row keeps. */
  read({ page, row, namespace }: KeyCursor, scratch: KeyState): KeyState {
    return this.codec.read(page as Page, row, namespace.layout, scratch);
  }

  #identify(cursor: KeyCursor, key: string): void {
    cursor.key = key;
    this.#fingerprints.read(cursor.namespace.start, key);
    cursor.high = this.#fingerprints.high;
    cursor.low = this.#fingerprints.low;
    cursor.isOutdated = false;
    this.#findRow(cursor);
  }

  #findRow(cursor: KeyCursor): void {
    const row = this.#index.find(cursor.high, cursor.low);
    cursor.row = row;
    cursor.page = row === 0 ? undefined : this.#rows.page(row);
    cursor.at = offsetOf(row);
  }

  /** Whether the row that the cursor found still belongs to its key. It may have been dropped since. */
  has(cursor: KeyCursor): boolean {
    return isStillFor(cursor);
  }

  /** Whether there is room for this many new keys after expired keys were dropped. */
  hasRoomFor(newKeys: () => number, nowMs: number): boolean {
    do {
      // Dropping an expired key may remove a row that a cursor has found.
      if (this.size + newKeys() <= this.maxKeys) return true;
    } while (this.#retention.dropExpired(nowMs));
    return false;
  }

  /**
   * Keeps the state of the cursor's key until it expires. If the table is full, a new key evicts another one.
   *
   * @returns whether the table keeps the object itself; then nobody else may change it
   */
  write(cursor: KeyCursor, keyState: KeyState, expiresMs: number, exhaustion: Exhaustion, nowMs: number): boolean {
    // The row may have been dropped meanwhile, to make room for the key of another cursor.
    if (isStillFor(cursor)) return this.#update(cursor, keyState, expiresMs, exhaustion, nowMs);
    if (this.#retention.size >= this.maxKeys && this.#retention.evict(nowMs)) this.#evicted += 1;
    const row = this.#rows.take(cursor.high, cursor.low);
    const page = this.#rows.page(row);
    cursor.row = row;
    cursor.page = page;
    cursor.at = offsetOf(row);
    const isKept = this.codec.write(page, row, cursor.namespace.layout, keyState);
    setTimes(page, row, expiresMs, exhaustion);
    this.#index.add(row, cursor.high, cursor.low);
    this.#retention.add(row, nowMs);
    return isKept;
  }

  #update(
    { page, row, namespace }: KeyCursor,
    keyState: KeyState,
    expiresMs: number,
    exhaustion: Exhaustion,
    nowMs: number,
  ): boolean {
    const isKept = this.codec.write(page as Page, row, namespace.layout, keyState);
    if (setTimes(page as Page, row, expiresMs, exhaustion)) this.#retention.moved(row, nowMs);
    return isKept;
  }

  remove(cursor: KeyCursor): void {
    if (this.has(cursor)) this.#retention.remove(cursor.row);
  }

  /** Removes a key. Returns whether its state still mattered. */
  forget({ start }: KeyNamespace, key: string, nowMs: number): boolean {
    const row = this.#rowOf(start, key);
    if (row === 0) return false;
    const matters = this.#rows.expiresMs(row) > nowMs;
    this.#retention.remove(row);
    return matters;
  }

  /** Returns the block and the strikes in a key's state; undefined if it has none. */
  headOf({ start }: KeyNamespace, key: string): Head | undefined {
    const row = this.#rowOf(start, key);
    return row === 0 ? undefined : this.codec.head(this.#rows.page(row), row);
  }

  /**
   * Removes the block and the strikes from a key's state, which is kept as long as before. Returns whether it was
   * blocked.
   */
  lift({ start }: KeyNamespace, key: string, nowMs: number): boolean {
    const row = this.#rowOf(start, key);
    if (row === 0) return false;
    const page = this.#rows.page(row);
    const { blockEndsMs } = this.codec.head(page, row);
    this.codec.lift(page, row);
    return blockEndsMs > nowMs && this.#rows.expiresMs(row) > nowMs;
  }

  #rowOf(start: Start, key: string): number {
    this.#fingerprints.read(start, key);
    return this.#index.find(this.#fingerprints.high, this.#fingerprints.low);
  }

  /** Returns how many keys that had used much of their quota were evicted since the last call. */
  takeEvicted(): number {
    const evicted = this.#evicted;
    if (evicted !== 0) this.#evicted = 0;
    return evicted;
  }

  close(): void {
    this.clock = CLOSED;
    this.#retention.stop();
    this.#index.clear();
    this.codec.clear();
    this.#rows.clear();
  }

  #drop(row: number): void {
    this.#index.delete(row);
    this.codec.release(row);
    this.#rows.release(row);
  }
}
