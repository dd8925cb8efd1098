import type { Limit } from '../values/limit.js';
import { definitionOf } from './definitions.js';
import type { Interval, Kernel } from './kernel.js';

/**
 * The record that a store keeps for one key of one limit: the state of the kernel, and what all algorithms have in
 * common.
 */
export interface KeyState {
  state: object;
  /** The end of the block that `blockDuration` set; past or 0 if there is none. */
  blockEndsMs: number;
  /** The last admission, kept for `countRejected`; negative before the first one. */
  admittedMs: number;
  /**
   * The place in the store that this record was last read from or written to. If it matches, the store need not read
   * again.
   */
  stamp?: number;
}

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
  /**
   * Never a small integer, so that the engine keeps the number inside the object instead of in a heap object of its
   * own.
   */
  #nowMs = Number.NaN;
  #state!: object;
  #blockEndsMs = 0;
  #admittedMs = -1;
  #isCorrected = false;
  /** `#free` is always up to date. `#resetAfterMs` is computed when it is first asked for. */
  #free = 0;
  #resetAfterMs: number | 'never' | undefined;

  /** Reads a key. Without a `keyState`, it is a key that was never seen. */
  read(kernel: Kernel, limit: Limit, keyState: KeyState | undefined, nowMs: number, interval?: Interval): void {
    this.#kernel = kernel;
    this.#limit = limit;
    this.#nowMs = nowMs;
    if (keyState === undefined) {
      this.#state = kernel.normalize(kernel.fresh(limit, nowMs), limit, nowMs, interval);
      this.#blockEndsMs = 0;
      this.#admittedMs = -1;
      this.#isCorrected = false;
    } else {
      this.#readKeyState(keyState, interval);
    }
    this.#changed();
  }

  #readKeyState({ state, blockEndsMs, admittedMs }: KeyState, interval: Interval | undefined): void {
    const kernel = this.#kernel;
    const limit = this.#limit;
    const nowMs = this.#nowMs;
    const latestBlockEndMs = nowMs + (limit.blockMs ?? 0);
    this.#state = kernel.normalize(state, limit, nowMs, interval);
    this.#blockEndsMs = Math.min(blockEndsMs, latestBlockEndMs);
    this.#admittedMs = Math.min(admittedMs, nowMs);
    // A state from a clock that was ahead is always corrected.
    this.#isCorrected =
      blockEndsMs > latestBlockEndMs ||
      admittedMs > nowMs ||
      (this.#state !== state && kernel.isAhead(state, limit, nowMs, interval));
  }

  #changed(): void {
    this.#free = this.#kernel.available(this.#state, this.#limit, this.#nowMs);
    this.#resetAfterMs = undefined;
  }

  get isBlocked(): boolean {
    return this.#nowMs < this.#blockEndsMs;
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

  get delayMs(): number {
    return this.#kernel.delayMs?.(this.#state, this.#limit, this.#nowMs) ?? 0;
  }

  /** @param margin - units by which the limit may be passed or, if negative, that have to be left to others */
  admits(cost: number, margin: number, id?: string): boolean {
    if (this.isBlocked || this.#limit.quota === 0) return false;
    if (this.#isHeld(id)) return true;
    return cost <= this.#limit.quota && cost <= this.#free + margin;
  }

  /** Returns how many of these admitted units only a margin admits. */
  overQuota(cost: number, id?: string): number {
    return this.#isHeld(id) ? 0 : Math.max(0, cost - Math.max(0, this.#free));
  }

  #isHeld(id: string | undefined): boolean {
    return id !== undefined && this.#kernel.holds?.(this.#state, id, this.#nowMs) === true;
  }

  /** Milliseconds until this many units are available and no block is left. */
  untilMs(units: number): number | 'never' {
    const fits = units <= this.#free;
    const untilMs = fits ? 0 : this.#kernel.waitMs(this.#state, this.#limit, units, this.#nowMs);
    return untilMs === 'never' ? untilMs : Math.max(untilMs, this.#blockEndsMs - this.#nowMs);
  }

  /** Milliseconds until the key, if it is not used, is back to its full quota. */
  get resetAfterMs(): number | 'never' {
    this.#resetAfterMs ??= this.untilMs(this.#limit.quota);
    return this.#resetAfterMs;
  }

  /** Milliseconds until nothing in the state matters any more. */
  get keptMs(): number {
    const resetAfterMs = this.resetAfterMs;
    const stateMs = this.#kernel.retentionMs?.(this.#state, this.#limit, this.#nowMs) ?? (resetAfterMs as number);
    const countsMs =
      this.#limit.countRejected === true && this.#admittedMs >= 0 ? this.#countsUntilMs - this.#nowMs : 0;
    return Math.max(resetAfterMs === 0 ? 0 : stateMs, this.#blockEndsMs - this.#nowMs, countsMs);
  }

  get #countsUntilMs(): number {
    return this.#admittedMs + definitionOf(this.#limit).spanMs(this.#limit);
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
   * limit itself refused. A refusal that only keeps units free for others records nothing. Returns whether the state has
   * to be written.
   */
  refuse(cost: number, margin: number, isRequestRefused: boolean): boolean {
    const { blockMs, quota } = this.#limit;
    const admits = this.admits(cost, margin);
    if (!admits && margin < 0 && this.admits(cost, 0)) return this.#isCorrected;
    const startsBlock = blockMs !== undefined && cost > 0 && !admits && !this.isBlocked;
    const counts = isRequestRefused && cost > 0 && cost <= quota && this.#countsRejected();
    if (startsBlock) this.#blockEndsMs = this.#nowMs + blockMs;
    if (counts) this.#kernel.spend(this.#state, this.#limit, cost, this.#nowMs);
    if (startsBlock || counts) this.#changed();
    return startsBlock || counts || this.#isCorrected;
  }

  #countsRejected(): boolean {
    const { countRejected } = this.#limit;
    if (countRejected !== true) return countRejected === 'always';
    return this.#admittedMs >= 0 && this.#nowMs < this.#countsUntilMs;
  }

  /** Charges units afterwards; a negative cost gives units back. Returns false if these units no longer count. */
  correct(cost: number, atMs?: number, id?: string): boolean {
    if (cost >= 0) return this.#charge(cost);
    if (this.#free >= this.#limit.quota) return false;
    const isChanged = this.#kernel.refund(this.#state, this.#limit, -cost, this.#nowMs, atMs, id);
    this.#changed();
    return isChanged;
  }

  /** Charges units. A slot cannot be charged: a request takes it with its id. */
  #charge(cost: number): boolean {
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
  }
}
