import type { LimitCheck, StoreResponse } from '@sluice/core/src/stores/store';
import { Demand } from '../in-front/demand.js';
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
  readonly #demand: Demand;
  /** What the next slice would have if the store had it. */
  #nextUnits = 1;
  /** What the store had left when it last answered; undefined until then. */
  #remainingThere: number | undefined;
  #restarts = 0;
  /** For each check: which of the restarts reset it last; absent if none did. */
  readonly #resetBy: number[] = [];

  constructor(checks: readonly LimitCheck[], leaseMs: number, busyFrom: number) {
    this.checks = checks;
    this.#demand = new Demand(leaseMs, busyFrom);
  }

  /** How often it has begun anew, because of a block or a reset. A slice that was asked for before that is not spent. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Returns those of the checks of a slice that were not reset since there were so many restarts. Units of the others were charged before the
   * reset, or are lost: they are not given back to the new state.
   */
  notResetSince(restarts: number, checks: readonly LimitCheck[]): readonly LimitCheck[] {
    return checks.filter((_, i) => (this.#resetBy[i] ?? 0) <= restarts);
  }

  /** Spends units of the slice. Returns undefined if it does not have them, or is of other limits. */
  spend(checks: readonly LimitCheck[], cost: number, nowMs: number): StoreResponse | undefined {
    const { slice } = this;
    if (!slice?.has(cost, nowMs) || !slice.hasNumbersOf(checks)) return undefined;
    this.#demand.noteServed(cost);
    return slice.spend(checks, cost, nowMs);
  }

  /**
   * Notes a request that no slice has units for. Returns whether another slice pays: whether enough requests come, and the store has
   * units for them, as far as is known.
   */
  wantsSlice(cost: number, instances: number, nowMs: number): boolean {
    if (!this.#demand.note(cost, nowMs)) return false;
    const remaining = this.slice?.remainingThere ?? this.#remainingThere;
    return remaining === undefined || this.#demand.isEnough(shareOf(remaining, instances));
  }

  /** Notes a response to a request that was asked about alone. */
  observed({ allowed, verdicts }: StoreResponse): void {
    this.#remainingThere = allowed ? Math.min(...verdicts.map(({ remaining }) => remaining)) : 0;
    this.#nextUnits = 2 * this.#demand.units;
  }

  /** Whether there is no slice and no waiting caller. */
  isIdle(nowMs: number): boolean {
    return !this.taking && this.wanted === 0 && (!this.slice || this.slice.isOver(nowMs));
  }

  /** Whether nothing that it knows matters any more. */
  isForgotten(nowMs: number): boolean {
    return nowMs >= this.lateUntilMs && this.#demand.isOver(nowMs);
  }

  /** Whether the last slice was asked for with the same numbers. */
  hasNumbersOf(checks: readonly LimitCheck[]): boolean {
    return haveSameNumbers(checks, this.checks);
  }

  /**
   * Returns the units to ask for: what the waiting callers want, or more if the last slice was used up. The additional
   * units are at most this instance's share of half of the remaining units. Slices therefore shrink towards the limit,
   * and leave units for other instances.
   */
  nextSize(instances: number): number {
    return Math.max(this.wanted, Math.min(this.#nextUnits, shareOf(this.#remainingThere ?? 0, instances)));
  }

  /**
   * Takes the slice away. If it was used up, the next one is larger; if units were left over, the next one is smaller.
   */
  end(nowMs: number): Slice | undefined {
    const { slice } = this;
    if (!slice) return undefined;
    this.slice = undefined;
    this.#remainingThere = slice.remainingThere;
    this.#nextUnits = slice.isOver(nowMs) ? Math.max(1, slice.units - slice.left) : 2 * slice.units;
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

  /**
   * Starts anew. Returns the slice that it held.
   *
   * @param isReset - whether the state of a check is removed, too, and not only blocked or unblocked
   */
  restart(isReset: (check: LimitCheck) => boolean): Slice | undefined {
    const { slice } = this;
    this.slice = undefined;
    this.#nextUnits = 1;
    this.#remainingThere = undefined;
    this.#restarts += 1;
    this.checks.forEach((check, i) => {
      if (isReset(check)) this.#resetBy[i] = this.#restarts;
    });
    return slice;
  }
}

/** An instance's share of half of the units that are left. */
function shareOf(remaining: number, instances: number): number {
  return Math.floor(remaining / (2 * instances));
}
