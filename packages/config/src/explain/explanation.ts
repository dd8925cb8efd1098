import type { Limit } from '@sluice/core';

/** A place in a policy file: the names and the numbers on the way to it. */
export type FilePath = readonly (string | number)[];

/** One sentence about a policy, and the place in the file that decides it. */
export interface ExplainedSentence {
  /** The sentence, in plain English. */
  readonly text: string;
  /** The place in the file that decides it. */
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
  /** The limit that holds for the group. */
  readonly limit: Limit;
  /** The worst case, as `boundOf` computes it; undefined if there is none. */
  readonly most: MostUnits | undefined;
}

/** The most units that are admitted in any window of a length: a worst case. */
export interface MostUnits {
  /** How many units. */
  readonly units: number;
  /** The length of the window; 0 for the most requests at the same time. */
  readonly windowMs: number;
}

/** What one policy means, in sentences. */
export interface ExplainedPolicy {
  /** The name of the policy. */
  readonly policy: string;
  /** For which requests, who counts how, and how far it is enforced. */
  readonly sentences: readonly ExplainedSentence[];
  /** The limits. Empty if every request is refused for its sender. */
  readonly limits: readonly ExplainedLimit[];
}
