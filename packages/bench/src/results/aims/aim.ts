import type { Column } from '../place.js';

/** What was aimed at for one measure. */
export interface Aim {
  readonly measure: string;
  readonly aim: string;
  readonly figures: readonly AimedFigure[];
  /** Shown where the aim is missed. */
  readonly why: Why;
}

/** One figure of the measure. */
export interface AimedFigure {
  /** Absent if the measure has no other figure. */
  readonly name?: string;
  readonly column: Column;
  readonly row: string;
  /** The rows of the same column whose largest figure is the aim; absent if that is a number. */
  readonly beside?: readonly string[];
  /** A column of intervals: where that of the figure overlaps with that of the row beside it, the two are no different. */
  readonly intervals?: Column;
  readonly isReached: IsReached;
}

/** Whether a figure is as good as was aimed at. `other` is that of the row beside it. */
export type IsReached = (value: number, other: number) => boolean;

/** A reason in a sentence, and the page that explains it. */
export interface Why {
  readonly text: string;
  /** As a link from the page of results. */
  readonly page: string;
}

export const atMostTheOther: IsReached = (value, other) => value <= other;

export const atMost =
  (most: number): IsReached =>
  (value) =>
    value <= most;

export const atLeast =
  (least: number): IsReached =>
  (value) =>
    value >= least;

/** The algorithms that are measured everywhere. */
export const WINDOWS = ['fixed window', 'sliding window'];
export const BUCKET = 'token bucket';
export const ALGORITHMS = [...WINDOWS, BUCKET];

/** A figure for each algorithm. */
export function ofEach(algorithms: readonly string[], column: Column, isReached: IsReached): AimedFigure[] {
  return algorithms.map((name) => ({ name, column, row: `Sluice ${name}`, isReached }));
}
