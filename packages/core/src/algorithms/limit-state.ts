import type { Limit } from '../values/limit.js';
import { definitionOf } from './definitions.js';
import type { Interval, Kernel } from './kernel.js';

/**
 * What a store keeps for one key of one limit: the kernel's state, and beside it what holds for every algorithm alike.
 */
export interface KeyState {
  state: object;
  /** End of the block that `blockDuration` put on the key; past or 0 when there is none. */
  blockEndsMs: number;
  /** Last admission, kept for `countRejected`; negative before the first. */
  admittedMs: number;
  /** Names what of a store this was read from or written to last, so that it need not be read again. */
  stamp?: number;
}

/**
 * How one key stands with one limit at one moment: its state read by the limit's kernel, with what the kernel does
 * not know: blocks, counted refusals, and clocks that were wrong.
 *
 * Reading leaves the `KeyState` as it was; `spend`, `refuse` and `correct` say whether it has to be written. One object
 * may be read again for other keys and limits, since a store that makes one for each question is the slower for it.
 */
export class LimitState {
  #kernel!: Kernel;
  #limit!: Limit;
  /** Never a small integer, so that it is kept in place, not in an object of its own. */
  #nowMs = Number.NaN;
  #state!: object;
  #blockEndsMs = 0;
  #admittedMs = -1;
  #isCorrected = false;
  /** Of the state as it is now; the time until it is fresh only once it was asked for. */
  #free = 0;
  #resetAfterMs: number | 'never' | undefined;

  /** Without a `keyState`: of a key that was never seen. */
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
    // A state that is ahead is never left as it is.
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

  /** Units that fit now, at least 0. */
  get remaining(): number {
    return this.isBlocked ? 0 : Math.max(0, this.#free);
  }

  /** Units that count now, whether or not there is a block: every kernel says of its quota what is free. */
  get used(): number {
    return this.#limit.quota - this.#free;
  }

  get delayMs(): number {
    return this.#kernel.delayMs?.(this.#state, this.#limit, this.#nowMs) ?? 0;
  }

  admits(cost: number, id?: string): boolean {
    if (this.isBlocked || this.#limit.quota === 0) return false;
    if (id !== undefined && this.#kernel.holds?.(this.#state, id, this.#nowMs)) return true;
    return cost <= this.#free;
  }

  /** Until so many units fit and no block is left. */
  untilMs(units: number): number | 'never' {
    const fits = units <= this.#free;
    const untilMs = fits ? 0 : this.#kernel.waitMs(this.#state, this.#limit, units, this.#nowMs);
    return untilMs === 'never' ? untilMs : Math.max(untilMs, this.#blockEndsMs - this.#nowMs);
  }

  /** Until the key, left alone, is as fresh. */
  get resetAfterMs(): number | 'never' {
    this.#resetAfterMs ??= this.untilMs(this.#limit.quota);
    return this.#resetAfterMs;
  }

  /** Until nothing in the state can matter any more. */
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
   * What a refused request leaves behind: its cost, where refusals are counted and it could ever fit, and a block,
   * where the limit refused it itself.
   */
  refuse(cost: number, isRequestRefused: boolean): boolean {
    const { blockMs, quota } = this.#limit;
    const startsBlock = blockMs !== undefined && cost > 0 && !this.admits(cost) && !this.isBlocked;
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

  /** Charges after the fact, or with a negative cost gives back. False when nothing of it counts any more. */
  correct(cost: number, atMs?: number, id?: string): boolean {
    if (cost >= 0) return this.#charge(cost);
    if (this.#free >= this.#limit.quota) return false;
    const isChanged = this.#kernel.refund(this.#state, this.#limit, -cost, this.#nowMs, atMs, id);
    this.#changed();
    return isChanged;
  }

  /** A slot is taken by its id, and cannot be charged. */
  #charge(cost: number): boolean {
    if (cost === 0 || this.#kernel.holds) return false;
    this.#kernel.spend(this.#state, this.#limit, cost, this.#nowMs);
    this.#changed();
    return true;
  }

  /** Whether a wrong clock's times were set back, which is written even where nothing else is. */
  get isCorrected(): boolean {
    return this.#isCorrected;
  }

  writeTo(keyState: KeyState): void {
    keyState.state = this.#state;
    keyState.blockEndsMs = this.#blockEndsMs;
    keyState.admittedMs = this.#admittedMs;
  }
}
