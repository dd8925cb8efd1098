import { inBackground, stopwatchMs } from '../../../values/clock.js';
import { IS_EXHAUSTED, type Rows } from './rows.js';
import { TimerWheel } from './timer-wheel.js';

const SWEEP_EVERY_MS = 20;

/** Up to 200,000 keys a second. */
const LOOKS_PER_SWEEP = 4000;

/** If all tables shrink at about the same time, the rest of a sweep waits for the next one. */
const LONGEST_SWEEP_MS = 2;

/** If very many keys refill at one moment, the work is spread over later insertions. */
const LOOKS_PER_INSERTION = 16;

/** If very many keys are due at about the same time, sorting them is spread over the insertions that need it. */
const LOOKS_PER_EVICTION = 64;

/**
 * Decides which keys are kept. If there is no room, expired keys go first. Then go keys that are neither exhausted nor
 * blocked, beginning with the one that is back to its full quota first. Exhausted keys go last, beginning with the one
 * that would be admitted first, because forgetting one admits a client that is refused now.
 */
export class Retention {
  readonly #rows: Rows;
  readonly #ordinary: TimerWheel;
  readonly #exhausted: TimerWheel;
  readonly #drop: (row: number) => void;
  readonly #now: () => number;
  #size = 0;
  #stopSweeping: (() => void) | undefined;

  constructor(rows: Rows, now: () => number, drop: (row: number) => void) {
    this.#rows = rows;
    this.#ordinary = new TimerWheel(rows);
    this.#exhausted = new TimerWheel(rows);
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
    const wasExhausted = this.#isExhausted(row);
    const wheel = wasExhausted ? this.#exhausted : this.#ordinary;
    if (this.#rows.exhaustedUntilMs(row) > nowMs === wasExhausted) {
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

  /** Drops one row to make room. Returns whether its key was exhausted. */
  evict(nowMs: number): boolean {
    this.#recover(nowMs, { looks: LOOKS_PER_INSERTION });
    const budget = { looks: LOOKS_PER_EVICTION };
    const row = this.#ordinary.takeFirst(nowMs, budget) || this.#exhausted.takeFirst(nowMs, budget);
    if (row === 0) return false;
    const isExhausted = this.#rows.exhaustedUntilMs(row) > nowMs;
    this.#forget(row);
    return isExhausted;
  }

  /** Drops one expired row, if there is one. Returns whether there was. */
  dropExpired(nowMs: number): boolean {
    const budget = { looks: LOOKS_PER_INSERTION };
    this.#recover(nowMs, budget);
    const row = this.#ordinary.takeDue(nowMs, budget);
    if (row !== 0) this.#forget(row);
    return row !== 0;
  }

  /** Stops the timer. */
  stop(): void {
    this.#stopSweeping?.();
    this.#stopSweeping = undefined;
  }

  /** Drops what has expired, but not for long. */
  sweep(): void {
    const nowMs = this.#now();
    const budget = { looks: LOOKS_PER_SWEEP };
    const endMs = stopwatchMs() + LONGEST_SWEEP_MS;
    this.#recover(nowMs, budget);
    for (let row = this.#ordinary.takeDue(nowMs, budget); row; row = this.#ordinary.takeDue(nowMs, budget)) {
      this.#forget(row);
      if (stopwatchMs() > endMs) return;
    }
  }

  /** Moves rows that are no longer exhausted to the ordinary ones. */
  #recover(nowMs: number, budget: { looks: number }): void {
    for (let row = this.#exhausted.takeDue(nowMs, budget); row; row = this.#exhausted.takeDue(nowMs, budget)) {
      this.#place(row, nowMs);
    }
  }

  #place(row: number, nowMs: number): void {
    const isExhausted = this.#rows.exhaustedUntilMs(row) > nowMs;
    if (isExhausted !== this.#isExhausted(row)) this.#rows.setMarks(row, this.#rows.marks(row) ^ IS_EXHAUSTED);
    (isExhausted ? this.#exhausted : this.#ordinary).add(row, nowMs);
  }

  #forget(row: number): void {
    this.#size -= 1;
    this.#drop(row);
    if (this.#size === 0) this.stop();
  }

  #wheelOf(row: number): TimerWheel {
    return this.#isExhausted(row) ? this.#exhausted : this.#ordinary;
  }

  #isExhausted(row: number): boolean {
    return (this.#rows.marks(row) & IS_EXHAUSTED) !== 0;
  }
}

/** The timer does not keep a table alive: one that nobody refers to any more, and nobody has closed, ends with it. */
function sweepInBackground(retention: Retention): () => void {
  const weak = new WeakRef(retention);
  const stop = inBackground(SWEEP_EVERY_MS, () => {
    const swept = weak.deref();
    if (swept) swept.sweep();
    else stop();
  });
  return stop;
}
