import { BEGIN_MS } from '../../world/world.js';
import type { Span } from '../conditions.js';
import type { SetupFacts } from '../setup-facts.js';
import type { Period } from './plan-facts.js';

const MINUTE_MS = 60_000;

/** "A unit counts a little too long, by at most one sub-window" of 20 (packages/core/docs/algorithms.md, Sliding window). */
const LONGEST_MINUTE_MS = MINUTE_MS + MINUTE_MS / 20;

/** Clocks show whole milliseconds. */
const ROUNDED_MS = 2;

/**
 * Whether a unit still counts. "Tokens in any 60 s"; "a day is a calendar day", in UTC. Clocks that count may be ahead of the world's
 * by anything from `leastAheadMs` to `mostAheadMs`.
 */
export class BudgetWindow {
  readonly #drift: number;
  readonly #leastAheadMs: number;
  readonly #mostAheadMs: number;

  constructor({ setup, drift, store }: SetupFacts) {
    const clocks = store.isMemory ? setup.processes : setup.servers;
    const ahead = clocks.map(({ clockAheadMs }) => clockAheadMs);
    this.#drift = drift;
    this.#leastAheadMs = Math.min(...ahead);
    this.#mostAheadMs = Math.max(...ahead);
  }

  /** Whether what was charged in some time counts in all of another, later time. */
  surelyCounts(period: Period, charged: Span, seen: Span): boolean {
    if (charged.toMs > seen.fromMs) return false;
    if (period === 'minute') return seen.toMs - charged.fromMs < MINUTE_MS * (1 - this.#drift) - ROUNDED_MS;
    const first = this.#period(period, charged.fromMs, -1);
    return first === this.#period(period, seen.toMs, 1);
  }

  /** Whether what was charged in some time may count in another time. */
  mayCount(period: Period, charged: Span, seen: Span): boolean {
    if (charged.fromMs > seen.toMs) return false;
    if (period === 'minute') {
      return seen.fromMs - charged.toMs <= LONGEST_MINUTE_MS * (1 + this.#drift) + ROUNDED_MS;
    }
    return this.#period(period, charged.toMs, 1) >= this.#period(period, seen.fromMs, -1);
  }

  /** Returns a number for the day or the month of a moment, by the clock that is least ahead (-1) or most (1). */
  #period(period: Period, atMs: number, side: -1 | 1): number {
    if (!Number.isFinite(atMs)) return atMs;
    const aheadMs = side < 0 ? this.#leastAheadMs : this.#mostAheadMs;
    const date = new Date(BEGIN_MS + aheadMs + atMs * (1 + side * this.#drift) + side * ROUNDED_MS);
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
    return period === 'month' ? month : month * 31 + date.getUTCDate();
  }
}
