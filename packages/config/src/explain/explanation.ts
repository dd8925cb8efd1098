import type { Limit } from '@sluice/core';

/** A place in a policy file: the names and the numbers on the way to it. */
export type FilePath = readonly (string | number)[];

/** One sentence about a policy, and the place in the file that decides it. */
export interface ExplainedSentence {
  readonly text: string;
  readonly path: FilePath;
  /** Present if the sentence is a warning: the file is allowed, and probably not what you mean. */
  readonly isWarning?: true;
}

/** What one limit means for one group of keys. */
export interface ExplainedLimit extends ExplainedSentence {
  /** The name of the limit. */
  readonly name: string;
  /** Whom it is for: `everybody`, `tier pro`, `customer acme` or `variant tight`. */
  readonly group: string;
  readonly limit: Limit;
  /** The worst case, as `boundOf` computes it; undefined if there is none. */
  readonly most: MostUnits | undefined;
}

/** The most units that are admitted in any window of a length: a worst case. */
export interface MostUnits {
  readonly units: number;
  /** The length of the window; 0 for the most requests at the same time. */
  readonly windowMs: number;
}

/** What one policy means, in sentences. */
export interface ExplainedPolicy {
  readonly policy: string;
  /** For which requests, who counts how, and how far it is enforced. */
  readonly sentences: readonly ExplainedSentence[];
  /** The limits. Empty if every request is refused for its sender. */
  readonly limits: readonly ExplainedLimit[];
}
