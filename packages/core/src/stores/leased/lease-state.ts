import type { Check, Reply } from '../store.js';
import type { Refusal } from './refusal.js';
import { haveSameNumbers } from './request-kind.js';
import type { Slice } from './slice.js';

/** What came of asking for a slice: the answer to whoever asked for it, and what the store has no more. */
export interface AcquireResult {
  readonly answer?: Reply | undefined;
  readonly refusal: Refusal;
}

/** What one process holds for one kind of request: a slice, and how large the next one should be. */
export class LeaseState {
  /** Those by which a slice was asked for last. */
  checks: readonly Check[];
  slice: Slice | undefined;
  /** The slice that is on its way. */
  taking: Promise<AcquireResult> | undefined;
  /** Units that all want who wait now. */
  wanted = 0;
  /** Until when an answer may still come that was given up. */
  lateUntilMs = Number.NEGATIVE_INFINITY;
  #demand = 1;
  #remainingThere = 0;
  #resets = 0;

  constructor(checks: readonly Check[]) {
    this.checks = checks;
  }

  /** How often it was reset: what was on its way then is no more. */
  get resets(): number {
    return this.#resets;
  }

  /** Whether there is nothing in it, and nobody waits for it. */
  isIdle(nowMs: number): boolean {
    return !this.taking && this.wanted === 0 && (!this.slice || this.slice.isOver(nowMs));
  }

  /** Whether a slice was asked for by the same numbers. */
  isBy(checks: readonly Check[]): boolean {
    return haveSameNumbers(checks, this.checks);
  }

  /**
   * Units to ask for: what those who wait want, or, where the last slice has shown that more will be needed, as many as
   * that. Of these at most this instance's part of half of what was left, so that slices shrink towards the limit and
   * others find something.
   */
  nextSize(instances: number): number {
    return Math.max(this.wanted, Math.min(this.#demand, Math.floor(this.#remainingThere / (2 * instances))));
  }

  /** Takes the slice away: one that did not last shows that more is needed, one that was left over that less is. */
  end(nowMs: number): Slice | undefined {
    const { slice } = this;
    if (!slice) return undefined;
    this.slice = undefined;
    this.#remainingThere = slice.remainingThere;
    this.#demand = slice.isOver(nowMs) ? Math.max(1, slice.units - slice.left) : 2 * slice.units;
    return slice;
  }

  /** Takes a slice; returns the one of two that has less, to be given back. */
  receive(slice: Slice, nowMs: number): Slice | undefined {
    const held = this.slice;
    if (held && !held.isOver(nowMs) && (held.left >= slice.left || slice.isOver(nowMs))) return slice;
    this.slice = slice;
    return held;
  }

  /** Learns that there is nothing left to take in advance. */
  refused(): void {
    this.#remainingThere = 0;
  }

  /** Begins anew; returns what it held. */
  reset(): Slice | undefined {
    const { slice } = this;
    this.slice = undefined;
    this.#demand = 1;
    this.#remainingThere = 0;
    this.#resets += 1;
    return slice;
  }
}
