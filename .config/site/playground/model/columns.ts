import type { Fate, PlayedOutcome, Run } from './run.js';
import { COLUMNS } from './state.js';

/** What happened in a column of the time, which is a second if a visitor looks at a minute. */
export interface Column {
  readonly fromMs: number;
  /** The requests that came in it, with what became of them. */
  readonly outcomes: readonly PlayedOutcome[];
  readonly counts: Readonly<Record<Fate, number>>;
}

/** Divides a run into columns. */
export function columnsOf({ outcomes, traffic }: Run): Column[] {
  const columns: PlayedOutcome[][] = Array.from({ length: COLUMNS }, () => []);
  for (const outcome of outcomes) {
    columns[Math.min(COLUMNS - 1, Math.floor(outcome.atMs / traffic.columnMs))]?.push(outcome);
  }
  return columns.map((some, index) => ({
    fromMs: index * traffic.columnMs,
    outcomes: some,
    counts: countsOf(some),
  }));
}

/** Counts what became of requests. */
export function countsOf(outcomes: readonly PlayedOutcome[]): Record<Fate, number> {
  const counts = { admitted: 0, delayed: 0, refused: 0 };
  for (const { fate } of outcomes) counts[fate] += 1;
  return counts;
}
