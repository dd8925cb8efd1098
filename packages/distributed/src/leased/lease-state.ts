import type { LimitCheck, StoreResponse } from '@sluice/core/src/stores/store';
import { haveSameNumbers } from '../in-front/request-kind.js';
import type { Refusal } from './refusal.js';
import type { Slice } from './slice.js';

/** The result of asking for a slice: the response to the first caller, and from which cost on the store has no more. */
export interface AcquireResult {
  readonly answer?: StoreResponse | undefined;
  readonly refusal: Refusal;
}

/** The state of one process for one kind of request: its slice, and the size of the next one. */
export class LeaseState {
  /** The checks of the request that last asked for a slice. */
  checks: readonly LimitCheck[];
  slice: Slice | undefined;
  /** The slice that was asked for and has not arrived yet. */
  taking: Promise<AcquireResult> | undefined;
  /** The units that all waiting callers want. */
  wanted = 0;
  /** Until when a response that was given up may still arrive. */
  lateUntilMs = Number.NEGATIVE_INFINITY;
  #demand = 1;
  #remainingThere = 0;
  #resets = 0;

  constructor(checks: readonly LimitCheck[]) {
    this.checks = checks;
  }

  /** How often it was reset. A slice that was asked for before a reset is void. */
  get resets(): number {
    return this.#resets;
  }

  /** Spends units of the slice. Returns undefined if it does not have them, or is of other limits. */
  spend(checks: readonly LimitCheck[], cost: number, nowMs: number): StoreResponse | undefined {
    const { slice } = this;
    return slice?.has(cost, nowMs) && slice.isBy(checks) ? slice.spend(checks, cost, nowMs) : undefined;
  }

  /** Whether there is no slice and no waiting caller. */
  isIdle(nowMs: number): boolean {
    return !this.taking && this.wanted === 0 && (!this.slice || this.slice.isOver(nowMs));
  }

  /** Whether the last slice was asked for with the same numbers. */
  isBy(checks: readonly LimitCheck[]): boolean {
    return haveSameNumbers(checks, this.checks);
  }

  /**
   * Returns the units to ask for: what the waiting callers want, or more if the last slice was used up. The additional
   * units are at most this instance's share of half of the remaining units. Slices therefore shrink towards the limit,
   * and leave units for other instances.
   */
  nextSize(instances: number): number {
    return Math.max(this.wanted, Math.min(this.#demand, Math.floor(this.#remainingThere / (2 * instances))));
  }

  /**
   * Takes the slice away. If it was used up, the next one is larger; if units were left over, the next one is smaller.
   */
  end(nowMs: number): Slice | undefined {
    const { slice } = this;
    if (!slice) return undefined;
    this.slice = undefined;
    this.#remainingThere = slice.remainingThere;
    this.#demand = slice.isOver(nowMs) ? Math.max(1, slice.units - slice.left) : 2 * slice.units;
    return slice;
  }

  /** Keeps a slice. If there are two, it returns the one with fewer units, which has to be given back. */
  receive(slice: Slice, nowMs: number): Slice | undefined {
    const held = this.slice;
    if (held && !held.isOver(nowMs) && (held.left >= slice.left || slice.isOver(nowMs))) return slice;
    this.slice = slice;
    return held;
  }

  /** Notes that no units are left to take in advance. */
  refused(): void {
    this.#remainingThere = 0;
  }

  /** Starts anew. Returns the slice that it held. */
  reset(): Slice | undefined {
    const { slice } = this;
    this.slice = undefined;
    this.#demand = 1;
    this.#remainingThere = 0;
    this.#resets += 1;
    return slice;
  }
}
