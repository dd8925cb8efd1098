import type { Observation } from '../fleet/observation.js';

/** A promise of the documentation that was broken. */
export interface Violation {
  /** The name of the invariant. It does not change: lists of known defects refer to it. */
  readonly invariant: string;
  readonly atMs: number;
  /** The calls concerned. */
  readonly calls: readonly number[];
  /** What happened, in one or two sentences. */
  readonly says: string;
}

/** Something that holds at any time of any run. */
export interface Invariant {
  /** Called with everything that happens, after the knowledge that all invariants share has taken it in. */
  observe(observation: Observation): Violation | undefined;
}
