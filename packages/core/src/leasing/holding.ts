import type { Check, Reply } from '../store.js';
import type { Slice } from './slice.js';

/** A refusal, as the store gave it to one who asked for so much. */
export interface Refusal {
  readonly cost: number;
  readonly reply: Reply;
}

/** What one process holds for one kind of request: a slice, and how large the next one should be. */
export class Holding {
  /** Those by which the slice was asked for: its units are given back by the numbers by which they were taken. */
  checks: readonly Check[];
  slice: Slice | undefined;
  /** The slice that is on its way: resolves with the refusal where there was none to be had. */
  taking: Promise<Refusal | undefined> | undefined;
  #demand = 1;
  #remainingThere = 0;

  constructor(checks: readonly Check[]) {
    this.checks = checks;
  }

  /**
   * Units to ask for: as many as the last slice has shown to be needed, but at most this instance's part of half of
   * what was left, so that slices shrink towards the limit and others find something.
   */
  nextSize(cost: number, instances: number): number {
    return Math.max(cost, Math.min(this.#demand, Math.floor(this.#remainingThere / (2 * instances))));
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
}
