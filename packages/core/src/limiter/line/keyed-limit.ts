import type { LimitCheck } from '../../stores/store.js';
import type { Verdict } from '../../values/decision.js';
import { usesSlots } from '../../values/limit.js';
import type { Due } from '../due-heap.js';
import type { Schedule, Scheduled } from './schedule.js';

/**
 * How many requests about one limit and key are under way at most while there is room. After a refusal it is one, so that
 * callers do not ask in vain.
 */
const MOST_AT_ONCE = 64;

/**
 * How much later than it could a line asks at most. If other processes take the units first, it waits until there are
 * likely units for it, too.
 */
const LONGEST_PAUSE_MS = 100;

/** The longest pause as a part of the time that the limit takes to refill, so that no units are lost meanwhile. */
const LARGEST_PAUSE = 1 / 4;

/**
 * If another process frees a slot, somebody lifts a block, or a store that was away decides again, a line is not told. So it asks again
 * after this time at the latest.
 */
const NEWS_MS = 1000;

/** One limit of one key, as a line knows it: when it may have room again, and which flows wait for that. */
export class KeyedLimit<Flow extends Scheduled> implements Due {
  readonly id: string;
  /** The check that it was made for. Later ones have the same name, key and limit. */
  readonly check: LimitCheck;
  /** The flows that wait until it is asked again. */
  readonly waiting: Schedule<Flow>;
  /** How many flows it limits. */
  flows = 0;
  /** How many requests are under way. */
  asking = 0;
  /** Whether the line has to look for a waiter that may ask. */
  isMarked = false;
  /** When it is asked again. In a heap, and so an `index` of at least 0, only while that is not known to be now. */
  dueMs = 0;
  index = -1;

  #most = MOST_AT_ONCE;
  /** There is no room before this time; 0 if nobody knows. */
  #closedUntilMs = 0;
  /** It is closed for waiters with at least this many units. */
  #closedFor = 0;
  #pauseMs = 0;
  /** Whether the time to ask again has come, and nobody has an answer since. */
  #isWoken = false;

  constructor(id: string, check: LimitCheck, waiting: Schedule<Flow>) {
    this.id = id;
    this.check = check;
    this.waiting = waiting;
  }

  /** Whether nobody with this many units should ask now. */
  isClosedFor(units: number): boolean {
    return this.asking >= this.#most || this.#isAsleepFor(units);
  }

  /** The time before which there is certainly no room for this many units; 0 if nobody knows. */
  closedUntilMs(units: number): number {
    return this.#isAsleepFor(units) ? this.#closedUntilMs : 0;
  }

  #isAsleepFor(units: number): boolean {
    return this.index >= 0 && units >= this.#closedFor;
  }

  /**
   * Notes the verdict of a refused request. Returns how long to sleep: 0 to ask again at once.
   *
   * @param isOfStore - whether the store has refused it, and not somebody else while the store is away
   * @param isFreed - whether a slot was freed since the request
   */
  refused(
    { limit, cost, retryAfterMs, resetAfterMs, blocked }: Verdict,
    nowMs: number,
    isOfStore: boolean,
    isFreed: boolean,
  ): number {
    this.#most = 1;
    // Nobody has taken the units of a blocked key.
    if (this.#isWoken && isOfStore && !blocked) this.#lengthenPause(resetAfterMs);
    this.#isWoken = false;
    if (retryAfterMs === 'never') return 0;
    if (usesSlots(limit)) return this.#closeSlots(isFreed);
    if (!isOfStore) return this.#closeWithoutStore(cost, retryAfterMs);
    const sleepMs = this.#close(cost, nowMs, Math.max(1, retryAfterMs));
    return blocked ? Math.min(sleepMs, NEWS_MS) : sleepMs;
  }

  /**
   * Notes the verdict of an admitted request. Returns how long to sleep, if it took the last units.
   *
   * @param isExact - whether the verdict also holds for the next request
   */
  granted(
    { limit, cost, used, remaining, retryAfterMs }: Verdict,
    nowMs: number,
    isExact: boolean,
    isFreed: boolean,
  ): number {
    if (this.#isWoken) this.#shortenPause(used <= cost);
    this.#isWoken = false;
    if (!isExact) {
      this.#most = Math.min(MOST_AT_ONCE, 2 * this.#most);
      return 0;
    }
    const fitting = cost > 0 ? Math.floor(remaining / cost) : MOST_AT_ONCE;
    this.#most = Math.max(1, Math.min(MOST_AT_ONCE, fitting));
    if (fitting > 0 || retryAfterMs === 0 || retryAfterMs === 'never') return 0;
    return usesSlots(limit) ? this.#closeSlots(isFreed) : this.#close(cost, nowMs, retryAfterMs);
  }

  /** Notes that it may be asked again. */
  wake(): void {
    this.#isWoken = true;
  }

  #close(units: number, nowMs: number, waitMs: number): number {
    this.#closedFor = units;
    this.#closedUntilMs = nowMs + waitMs;
    return Math.max(waitMs, this.#pauseMs);
  }

  /** Nobody knows when the store decides again, and what it has then. */
  #closeWithoutStore(units: number, waitMs: number): number {
    this.#closedFor = units;
    this.#closedUntilMs = 0;
    return Math.min(Math.max(1, waitMs), NEWS_MS);
  }

  /** Nobody knows when a slot will be free. */
  #closeSlots(isFreed: boolean): number {
    this.#closedFor = 0;
    this.#closedUntilMs = 0;
    return isFreed ? 0 : NEWS_MS;
  }

  #lengthenPause(resetAfterMs: number | 'never'): void {
    const refillMs = resetAfterMs === 'never' ? 0 : resetAfterMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.floor(refillMs * LARGEST_PAUSE), Math.max(1, 2 * this.#pauseMs));
  }

  /** @param wasFull - whether units may have been lost because nobody took them */
  #shortenPause(wasFull: boolean): void {
    this.#pauseMs = Math.floor(wasFull ? this.#pauseMs / 4 : (this.#pauseMs * 7) / 8);
  }
}
