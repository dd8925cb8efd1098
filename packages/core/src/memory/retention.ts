import { inBackground, stopwatchMs } from '../clock.js';
import { type Timed, TimerWheel } from './timer-wheel.js';

/** Something that is kept until it expires, and longer than others while it is exhausted. */
export interface Kept<Item> extends Timed<Item> {
  /** From then on it is as if it had never been. */
  expiresMs: number;
  /** Until then it is worth most: forgetting it would admit someone who is refused. */
  exhaustedUntilMs: number;
  isExhausted: boolean;
}

const SWEEP_EVERY_MS = 20;

/** Up to 200,000 keys a second. */
const LOOKS_PER_SWEEP = 4000;

/** Tables shrink as they empty, all at about the same time; the rest of a sweep then waits for the next. */
const LONGEST_SWEEP_MS = 2;

/** Spreads a moment at which very many keys refill over the insertions that follow it. */
const LOOKS_PER_INSERTION = 16;

/**
 * Decides what is kept. When there is no room, the expired go first, then those that are neither exhausted nor blocked, by
 * when they would be fresh, then the exhausted, by when they would be admitted again.
 */
export class Retention<Item extends Kept<Item>> {
  readonly #ordinary = new TimerWheel<Item>();
  readonly #exhausted = new TimerWheel<Item>();
  readonly #drop: (item: Item) => void;
  readonly #now: () => number;
  #size = 0;
  #stopSweeping: (() => void) | undefined;

  constructor(now: () => number, drop: (item: Item) => void) {
    this.#now = now;
    this.#drop = drop;
  }

  get size(): number {
    return this.#size;
  }

  add(item: Item, nowMs: number): void {
    this.#size += 1;
    this.#place(item, nowMs);
    this.#stopSweeping ??= inBackground(SWEEP_EVERY_MS, () => this.#sweep(this.#now()));
  }

  /** The item's times have changed. */
  moved(item: Item, nowMs: number): void {
    const isExhausted = item.exhaustedUntilMs > nowMs;
    if (isExhausted === item.isExhausted) {
      item.dueMs = isExhausted ? item.exhaustedUntilMs : item.expiresMs;
      this.#wheelOf(item).moved(item, nowMs);
    } else {
      this.#wheelOf(item).remove(item);
      this.#place(item, nowMs);
    }
  }

  remove(item: Item): void {
    this.#wheelOf(item).remove(item);
    this.#size -= 1;
    if (this.#size === 0) this.stop();
  }

  /** Drops one item to make room for another; returns whether it was an exhausted one. */
  evict(nowMs: number): boolean {
    this.#recover(nowMs, { looks: LOOKS_PER_INSERTION });
    const item = this.#ordinary.takeFirst(nowMs) ?? this.#exhausted.takeFirst(nowMs);
    if (!item) return false;
    this.#forget(item);
    return item.exhaustedUntilMs > nowMs;
  }

  /** Drops one item if one has expired. */
  dropExpired(nowMs: number): boolean {
    const patience = { looks: LOOKS_PER_INSERTION };
    this.#recover(nowMs, patience);
    const item = this.#ordinary.takeDue(nowMs, patience);
    if (item) this.#forget(item);
    return item !== undefined;
  }

  /** Stops the timer, so that nothing is left behind. */
  stop(): void {
    this.#stopSweeping?.();
    this.#stopSweeping = undefined;
  }

  #sweep(nowMs: number): void {
    const patience = { looks: LOOKS_PER_SWEEP };
    const endMs = stopwatchMs() + LONGEST_SWEEP_MS;
    this.#recover(nowMs, patience);
    for (let item = this.#ordinary.takeDue(nowMs, patience); item; item = this.#ordinary.takeDue(nowMs, patience)) {
      this.#forget(item);
      if (stopwatchMs() > endMs) return;
    }
  }

  /** Moves those that are no longer exhausted to the ordinary ones. */
  #recover(nowMs: number, patience: { looks: number }): void {
    for (let item = this.#exhausted.takeDue(nowMs, patience); item; item = this.#exhausted.takeDue(nowMs, patience)) {
      this.#place(item, nowMs);
    }
  }

  #place(item: Item, nowMs: number): void {
    item.isExhausted = item.exhaustedUntilMs > nowMs;
    item.dueMs = item.isExhausted ? item.exhaustedUntilMs : item.expiresMs;
    this.#wheelOf(item).add(item, nowMs);
  }

  #forget(item: Item): void {
    this.#size -= 1;
    this.#drop(item);
    if (this.#size === 0) this.stop();
  }

  #wheelOf(item: Item): TimerWheel<Item> {
    return item.isExhausted ? this.#exhausted : this.#ordinary;
  }
}
