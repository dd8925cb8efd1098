import { vectors } from '@sluice/conformance/vectors';

/** The name of a constructor of `@sluice/core`, and its options. */
export type LimitRow = readonly [constructor: string, options: Readonly<Record<string, unknown>>];

type Until = number | 'never';

/**
 * The numbers of a verdict. Without `used`, the used units are the limit minus the remaining ones; if nothing remains,
 * any number of units may be used.
 */
export type Figures = readonly [
  remaining: number,
  resetAfterMs: Until,
  retryAfterMs: Until,
  delayMs?: number,
  used?: number,
  overQuota?: number,
];

export type VerdictRow = readonly [answer: 'allowed' | 'refused', ...figures: Figures];

/** A request with more than a cost. The README beside the vectors explains the fields. */
export interface Asked {
  readonly cost?: number | Readonly<Record<string, number>>;
  readonly margin?: number | Readonly<Record<string, number>>;
  readonly id?: string;
  readonly at?: number;
  readonly calendarBoundsAt?: number;
}

type Asking = readonly [at: number, verb: 'consume' | 'peek', asked: number | Asked];

export type AskStep =
  | readonly [...Asking, answer: 'outside-calendar-bounds']
  | readonly [...Asking, answer: 'allowed' | 'refused', ...figures: Figures]
  | readonly [...Asking, answer: 'allowed' | 'refused', verdicts: Readonly<Record<string, VerdictRow>>];

export type AdjustStep = readonly [at: number, verb: 'adjust', asked: number | Asked, result: string];

export type Step =
  | AskStep
  | AdjustStep
  | readonly [at: number, verb: 'reset']
  | readonly [at: number, verb: 'limit', limit: LimitRow];

/** One history of one key, step by step, with the expected result of each step. */
export interface Vector {
  /** What the history shows. */
  readonly name: string;
  /** The time before the first step, in Unix milliseconds. Default: that of the suite. */
  readonly startMs?: number;
  /** The limit that every step asks; absent if there are several. */
  readonly limit?: LimitRow;
  /** The limits that every step asks in one request, by their names. */
  readonly limits?: Readonly<Record<string, LimitRow>>;
  /** The names of the limits that are not enforced. */
  readonly shadow?: readonly string[];
  /** The steps, in the order of their times. */
  readonly steps: readonly Step[];
}

/** The vectors of one algorithm or rule. */
export interface VectorFile {
  /** The name of the file. */
  readonly file: string;
  /** What its vectors are about. */
  readonly about: string;
  /** Its vectors. */
  readonly cases: readonly Vector[];
}

/**
 * The specification of every algorithm as tables: `vectors/*.json` of this package. The README beside them explains the
 * format. `storeSuite` runs them all.
 */
export const VECTORS = vectors as readonly VectorFile[];
