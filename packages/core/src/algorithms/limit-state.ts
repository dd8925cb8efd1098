// Why it is so: docs/why/blocks.md

import { longestBlockMs } from '../values/block-growth.js';
import { LONGEST_MS } from '../values/duration.js';
import type { Limit } from '../values/limit.js';
import {
  admittedBy,
  afterBlock,
  blockLengthMs,
  cutBlock,
  isAdmissionCounted,
  isRefusalCounted,
  keptForMs,
  markedMs,
  markOfBlock,
  strikesAt,
} from './arithmetic/block.js';
import type { Wait } from './arithmetic/guarantee.js';
import { isWithin, unitsOverQuota } from './arithmetic/margin.js';
import { definitionOf } from './definitions.js';
import type { GivenBack, Interval, Kernel } from './kernel.js';
import type { KeyState } from './key-state.js';
import { isTooLate } from './returns.js';

/**
 * The state of one key under one limit at one moment. It adds to the kernel what the kernel does not know: blocks,
 * counted refusals, and clocks that were wrong.
 *
 * Reading does not change the `KeyState`. `spend`, `refuse` and `correct` return whether it has to be written. One
 * object can be read again for other keys and limits, because a new object for each check would be slower.
 */
export class LimitState {
  #kernel!: Kernel;
  #limit!: Limit;
  /** Never a small integer: see "Objects and fields" in `packages/bench/docs/v8.md`. */
  #nowMs = Number.NaN;
  #state!: object;
  #blockEndsMs = 0;
  #admittedMs = -1;
  #strikes = 0;
  #heldUntilMs = 0;
  #isCorrected = false;
  #hasBegunBlock = false;
  /** `#free` is always up to date. `#resetAfterMs` is computed when it is first asked for. */
  #free = 0;
  #resetAfterMs: number | 'never' | undefined;

  /** Reads a key. Without a `keyState`, it is a key that was never seen. */
  read(kernel: Kernel, limit: Limit, keyState: KeyState | undefined, nowMs: number, interval?: Interval): void {
    this.#kernel = kernel;
    this.#limit = limit;
    this.#nowMs = nowMs;
    this.#hasBegunBlock = false;
    if (keyState === undefined) {
      this.#state = kernel.normalize(kernel.fresh(limit, nowMs), limit, nowMs, interval);
      this.#blockEndsMs = 0;
      this.#admittedMs = -1;
      this.#strikes = 0;
      this.#heldUntilMs = 0;
      this.#isCorrected = false;
    } else {
      this.#readKeyState(keyState, interval);
    }
    this.#changed();
  }

  #readKeyState(keyState: KeyState, interval: Interval | undefined): void {
    const { state, blockEndsMs, admittedMs, strikes, heldUntilMs } = keyState;
    const kernel = this.#kernel;
    const limit = this.#limit;
    const nowMs = this.#nowMs;
    this.#state = kernel.normalize(state, limit, nowMs, interval);
    // A state from a clock that was ahead is always corrected.
    this.#isCorrected =
      markedMs(admittedMs) > nowMs || (this.#state !== state && kernel.isAhead(state, limit, nowMs, interval));
    this.#blockEndsMs = this.#isCorrected
      ? cutBlock(blockEndsMs, admittedMs, longestBlockMs(limit), nowMs)
      : blockEndsMs;
    this.#admittedMs = admittedBy(admittedMs, nowMs);
    this.#strikes = strikes === 0 ? 0 : this.#remembered(strikes);
    // No clock sets this end back: it was set by hand, for as long as somebody wanted.
    this.#heldUntilMs = heldUntilMs;
  }

  #remembered(strikes: number): number {
    const { blocksMs, forgetMs = 0 } = this.#limit;
    return strikesAt(strikes, blocksMs !== undefined, forgetMs, this.#blockEndsMs, this.#nowMs);
  }

  /** Refuses until this time, because somebody has blocked the key by hand. Call it right after `read`. */
  hold(heldUntilMs: number): void {
    this.#heldUntilMs = heldUntilMs;
  }

  #changed(): void {
    this.#free = this.#kernel.available(this.#state, this.#limit, this.#nowMs);
    this.#resetAfterMs = undefined;
  }

  get isBlocked(): boolean {
    return this.#nowMs < this.#blockEndsMs || this.isHeld;
  }

  /** Whether somebody has blocked the key by hand. */
  get isHeld(): boolean {
    return this.#nowMs < this.#heldUntilMs;
  }

  /** Whether the last `refuse` began a block. */
  get hasBegunBlock(): boolean {
    return this.#hasBegunBlock;
  }

  /** The block that this limit has set, if there is one now: its end, and how many there were in a row. */
  get ownBlock(): { readonly untilMs: number; readonly strikes: number } | undefined {
    if (this.#nowMs >= this.#blockEndsMs) return undefined;
    return { untilMs: this.#blockEndsMs, strikes: Math.max(1, this.#strikes) };
  }

  /** Units that are available now; at least 0. */
  get remaining(): number {
    return this.isBlocked ? 0 : Math.max(0, this.#free);
  }

  /**
   * Units that count now. A block does not change this number: the kernel still reports the units that are available.
   */
  get used(): number {
    return this.#limit.quota - this.#free;
  }

  /** Units that are available after this time if the key is not used meanwhile; negative in debt. Blocks do not count. */
  freeIn(ms: number): number {
    return this.#kernel.available(this.#state, this.#limit, this.#nowMs + ms);
  }

  get delayMs(): number {
    return this.#kernel.delayMs?.(this.#state, this.#limit, this.#nowMs) ?? 0;
  }

  /** @param margin - units by which the limit may be passed or, if negative, that have to be left to others */
  admits(cost: number, margin: number, id?: string): boolean {
    if (this.#limit.quota === 0) return false;
    // Somebody who has a slot already uses it, blocked or not: a block refuses what begins.
    if (this.holdsSlot(id)) return true;
    return !this.isBlocked && isWithin(cost, this.#limit.quota, this.#free, margin);
  }

  /** Returns how many of these admitted units only a margin admits. */
  overQuota(cost: number, id?: string): number {
    return this.holdsSlot(id) ? 0 : unitsOverQuota(cost, this.#free);
  }

  /** Whether a slot is held under this id. */
  holdsSlot(id: string | undefined): boolean {
    return id !== undefined && this.#kernel.holds?.(this.#state, id, this.#nowMs) === true;
  }

  /** Milliseconds until this many units are available and no block is left. */
  untilMs(units: number): Wait {
    return afterBlock(this.#unheldUntilMs(units), this.#heldUntilMs, this.#nowMs);
  }

  /** The same without a block that was set by hand. */
  #unheldUntilMs(units: number): Wait {
    const fitsMs = units <= this.#free ? 0 : this.#kernel.waitMs(this.#state, this.#limit, units, this.#nowMs);
    return afterBlock(fitsMs, this.#blockEndsMs, this.#nowMs);
  }

  /** Milliseconds until the key, if it is not used, is back to its full quota. */
  get resetAfterMs(): number | 'never' {
    this.#resetAfterMs ??= this.untilMs(this.#limit.quota);
    return this.#resetAfterMs;
  }

  /** Milliseconds until nothing in the state matters any more, apart from a block that was set by hand. */
  get keptMs(): number {
    const resetAfterMs = this.#heldUntilMs === 0 ? this.resetAfterMs : this.#unheldUntilMs(this.#limit.quota);
    const stateMs = this.#kernel.retentionMs?.(this.#state, this.#limit, this.#nowMs) ?? (resetAfterMs as number);
    const { countRejected, forgetMs = 0 } = this.#limit;
    const countsMs = countRejected === true && this.#admittedMs >= 0 ? this.#countsUntilMs - this.#nowMs : 0;
    return keptForMs(stateMs, this.#blockEndsMs - this.#nowMs, this.#strikes === 0 ? 0 : forgetMs, countsMs);
  }

  /** Milliseconds until the end of a block that was set by hand; 0 or less if there is none. At most 100 years. */
  get heldMs(): number {
    return Math.min(this.#heldUntilMs - this.#nowMs, LONGEST_MS);
  }

  get #countsUntilMs(): number {
    return this.#admittedMs + this.#spanMs;
  }

  spend(cost: number, id?: string): boolean {
    if (cost === 0) return this.#isCorrected;
    this.#kernel.spend(this.#state, this.#limit, cost, this.#nowMs, id);
    if (this.#limit.countRejected === true) this.#admittedMs = this.#nowMs;
    this.#changed();
    return true;
  }

  /**
   * Records a refused request: its cost, if refusals are counted and the cost could ever fit; and a block, if this
   * limit itself refused. A refusal that only keeps units free for others records nothing, nor does one by a block that
   * was set by hand. Returns whether the state has to be written.
   */
  refuse(cost: number, margin: number, isRequestRefused: boolean): boolean {
    const { blockMs } = this.#limit;
    if (this.isHeld) return this.#isCorrected;
    const admits = this.admits(cost, margin);
    if (!admits && margin < 0 && this.admits(cost, 0)) return this.#isCorrected;
    const startsBlock = blockMs !== undefined && cost > 0 && !admits && !this.isBlocked;
    const counts = isRequestRefused && this.#countsRefusal(cost);
    if (startsBlock) this.#beginBlock(blockMs);
    if (counts) this.#kernel.spend(this.#state, this.#limit, cost, this.#nowMs);
    if (startsBlock || counts) this.#changed();
    return startsBlock || counts || this.#isCorrected;
  }

  /** @param firstMs - the length of the first block, or of every block if they do not grow */
  #beginBlock(firstMs: number): void {
    const { blocksMs } = this.#limit;
    this.#blockEndsMs = this.#nowMs + blockLengthMs(firstMs, blocksMs, this.#strikes);
    if (blocksMs !== undefined) this.#strikes += 1;
    if (!this.#countsAdmission) this.#admittedMs = markOfBlock(this.#nowMs);
    this.#hasBegunBlock = true;
  }

  #countsRefusal(cost: number): boolean {
    const { quota, countRejected } = this.#limit;
    return countRejected !== undefined && isRefusalCounted(cost, quota, countRejected, this.#countsAdmission);
  }

  get #countsAdmission(): boolean {
    return isAdmissionCounted(this.#admittedMs, this.#spanMs, this.#nowMs);
  }

  get #spanMs(): number {
    return definitionOf(this.#limit).spanMs(this.#limit);
  }

  /** Gives units back. Returns false if they no longer count, or come too late. */
  giveBack(back: GivenBack): boolean {
    if (this.#free >= this.#limit.quota || isTooLate(this.#limit, back, this.#nowMs)) return false;
    const isChanged = this.#kernel.refund(this.#state, this.#limit, back, this.#nowMs);
    this.#changed();
    return isChanged;
  }

  /** Charges units afterwards. A slot cannot be charged: a request takes it with its id. */
  charge(cost: number): boolean {
    if (cost === 0 || this.#kernel.holds) return false;
    this.#kernel.spend(this.#state, this.#limit, cost, this.#nowMs);
    this.#changed();
    return true;
  }

  /** Whether times of a wrong clock were set back. Such a state is written even if nothing else changes. */
  get isCorrected(): boolean {
    return this.#isCorrected;
  }

  writeTo(keyState: KeyState): void {
    keyState.state = this.#state;
    keyState.blockEndsMs = this.#blockEndsMs;
    keyState.admittedMs = this.#admittedMs;
    keyState.strikes = this.#strikes;
    keyState.heldUntilMs = this.#heldUntilMs;
  }
}
