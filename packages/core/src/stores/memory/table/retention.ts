// Why it is so: docs/why/memory-store.md

import { inBackground, onceInBackground, stopwatchMs } from '../../../values/clock.js';
import { EXHAUSTED, LITTLE, MUCH, RANK, type Rank, type Rows, SOME } from './rows.js';
import { TimerWheel } from './timer-wheel.js';

/** How often a process that has nothing else to do wakes to look for expired keys. */
const SWEEP_EVERY_MS = 250;

/** How soon a sweep goes on that has left expired keys: up to 200,000 keys a second. */
const GO_ON_AFTER_MS = 10;
const LOOKS_PER_SWEEP = 2000;

/** A request has to wait for a sweep, so the rest of one that takes longer waits for the next one. */
const LONGEST_SWEEP_MS = 1;

/** So many before a sweep looks at its time. */
const LOOKS_IN_A_ROW = 50;

/** If very many keys refill at one moment, the work is spread over later insertions. */
const LOOKS_PER_INSERTION = 16;

/** If very many keys are due at about the same time, sorting them is spread over the insertions that need it. */
const LOOKS_PER_EVICTION = 64;

/** The wheels whose rows are due when they expire. A full table looks for expired rows in the last ones first. */
const EXPIRING: readonly Rank[] = [MUCH, SOME, LITTLE];

/**
 * Decides which keys are kept. If there is no room, expired keys go first. Then keys go by their rank, those that have
 * used least first: what a key has used is what its client gets back when it is forgotten. So a flood of new keys, of
 * which each has used a unit, frees no key that has used more than an eighth. Among keys of one rank, the one goes first
 * that is back to its full quota first. Exhausted and blocked keys go last, beginning with the one that would be
 * admitted first, because forgetting one admits a client that is refused now.
 */
export class Retention {
  readonly #rows: Rows;
  /** By rank. */
  readonly #wheels: readonly TimerWheel[];
  readonly #drop: (row: number) => void;
  readonly #now: () => number;
  #size = 0;
  #stopSweeping: (() => void) | undefined;

  constructor(rows: Rows, now: () => number, drop: (row: number) => void) {
    this.#rows = rows;
    this.#wheels = Array.from({ length: RANK + 1 }, () => new TimerWheel(rows));
    this.#now = now;
    this.#drop = drop;
  }

  get size(): number {
    return this.#size;
  }

  add(row: number, nowMs: number): void {
    this.#size += 1;
    this.#place(row, nowMs);
    this.#stopSweeping ??= sweepInBackground(this);
  }

  /** Call it when the times of a row have changed. */
  moved(row: number, nowMs: number): void {
    const wheel = this.#wheelOf(row);
    if (this.#rows.rankAt(row, nowMs) === (this.#rows.marks(row) & RANK)) {
      wheel.moved(row, nowMs);
    } else {
      wheel.remove(row);
      this.#place(row, nowMs);
    }
  }

  remove(row: number): void {
    this.#wheelOf(row).remove(row);
    this.#forget(row);
  }

  /** Drops one row to make room. Returns whether its key had used much, so that its client got much back. */
  evict(nowMs: number): boolean {
    if (this.dropExpired(nowMs)) return false;
    const budget = { looks: LOOKS_PER_EVICTION };
    for (const wheel of this.#wheels) {
      const row = wheel.takeFirst(nowMs, budget);
      if (row === 0) continue;
      const hasUsedMuch = this.#rows.rankAt(row, nowMs) >= MUCH;
      this.#forget(row);
      return hasUsedMuch;
    }
    return false;
  }

  /** Drops one expired row, if there is one. Returns whether there was. */
  dropExpired(nowMs: number): boolean {
    const budget = { looks: LOOKS_PER_INSERTION };
    this.#recover(nowMs, budget);
    const row = this.#takeExpired(nowMs, budget);
    if (row !== 0) this.#forget(row);
    return row !== 0;
  }

  /** Stops the timer. */
  stop(): void {
    this.#stopSweeping?.();
    this.#stopSweeping = undefined;
  }

  /**
   * Drops what has expired, but not for long. Returns whether it has to go on soon. Keys come and go, so a table that is empty for a moment
   * keeps its timer until then.
   */
  sweep(): boolean {
    const isDone = this.#dropAllExpired();
    if (this.#size === 0) this.stop();
    return !isDone;
  }

  /** Returns false if some may be left, because there was no more time. */
  #dropAllExpired(): boolean {
    const nowMs = this.#now();
    const endMs = stopwatchMs() + LONGEST_SWEEP_MS;
    for (let looks = 0; looks < LOOKS_PER_SWEEP && stopwatchMs() <= endMs; looks += LOOKS_IN_A_ROW) {
      const budget = { looks: LOOKS_IN_A_ROW };
      this.#recover(nowMs, budget);
      for (let row = this.#takeExpired(nowMs, budget); row; row = this.#takeExpired(nowMs, budget)) this.#forget(row);
      if (budget.looks > 0) return true;
    }
    return false;
  }

  #takeExpired(nowMs: number, budget: { looks: number }): number {
    for (const rank of EXPIRING) {
      const row = this.#wheel(rank).takeDue(nowMs, budget);
      if (row !== 0) return row;
    }
    return 0;
  }

  /** Moves rows that are no longer exhausted to those of the rank below. */
  #recover(nowMs: number, budget: { looks: number }): void {
    const exhausted = this.#wheel(EXHAUSTED);
    for (let row = exhausted.takeDue(nowMs, budget); row; row = exhausted.takeDue(nowMs, budget)) {
      this.#place(row, nowMs);
    }
  }

  #place(row: number, nowMs: number): void {
    const rank = this.#rows.rankAt(row, nowMs);
    const marks = this.#rows.marks(row);
    if (rank !== (marks & RANK)) this.#rows.setMarks(row, (marks & ~RANK) | rank);
    this.#wheel(rank).add(row, nowMs);
  }

  #forget(row: number): void {
    this.#size -= 1;
    this.#drop(row);
  }

  /** The wheel that the row is in. */
  #wheelOf(row: number): TimerWheel {
    return this.#wheel(this.#rows.marks(row) & RANK);
  }

  #wheel(rank: Rank): TimerWheel {
    return this.#wheels[rank] as TimerWheel;
  }
}

/** The timers do not keep a table alive: one that nobody refers to any more, and nobody has closed, ends with them. */
function sweepInBackground(retention: Retention): () => void {
  const weak = new WeakRef(retention);
  let stopGoingOn = (): void => {};
  const look = (): void => {
    stopGoingOn();
    const swept = weak.deref();
    if (!swept) stopLooking();
    else if (swept.sweep()) stopGoingOn = onceInBackground(GO_ON_AFTER_MS, look);
  };
  const stopLooking = inBackground(SWEEP_EVERY_MS, look);
  return () => {
    stopLooking();
    stopGoingOn();
  };
}
