import { vectors } from '@sluice/core/vectors';

/** A constructor of `@sluice/core` by name, and its options. */
export type LimitRow = readonly [constructor: string, options: Readonly<Record<string, unknown>>];

type Until = number | 'never';

/**
 * What a verdict says, but for its own answer. Without `used`, what is not remaining of the limit is
 * used, or any number of units where nothing remains.
 */
export type Figures = readonly [
  remaining: number,
  resetAfterMs: Until,
  retryAfterMs: Until,
  delayMs?: number,
  used?: number,
];

export type VerdictRow = readonly [answer: 'allowed' | 'refused', ...figures: Figures];

/** More than a cost: see the README beside the vectors. */
export interface Asked {
  readonly cost?: number | Readonly<Record<string, number>>;
  readonly id?: string;
  readonly at?: number;
  readonly edgesAt?: number;
}

type Asking = readonly [at: number, verb: 'consume' | 'peek', asked: number | Asked];

export type AskStep =
  | readonly [...Asking, answer: 'outside-edges']
  | readonly [...Asking, answer: 'allowed' | 'refused', ...figures: Figures]
  | readonly [...Asking, answer: 'allowed' | 'refused', verdicts: Readonly<Record<string, VerdictRow>>];

export type AdjustStep = readonly [at: number, verb: 'adjust', asked: number | Asked, result: string];

export type Step =
  | AskStep
  | AdjustStep
  | readonly [at: number, verb: 'reset']
  | readonly [at: number, verb: 'limit', limit: LimitRow];

/** One history of one key, step by step, with every answer that it must get. */
export interface Vector {
  readonly name: string;
  readonly startMs?: number;
  readonly limit?: LimitRow;
  readonly limits?: Readonly<Record<string, LimitRow>>;
  /** The names of those limits that are asked but not enforced. */
  readonly shadow?: readonly string[];
  readonly steps: readonly Step[];
}

/** The vectors of one algorithm or rule. */
export interface VectorFile {
  readonly file: string;
  readonly about: string;
  readonly cases: readonly Vector[];
}

/**
 * The specification of every algorithm as tables: `vectors/*.json` of this package, explained in the README beside them.
 * `storeSuite` plays them all.
 */
export const VECTORS = vectors as readonly VectorFile[];
