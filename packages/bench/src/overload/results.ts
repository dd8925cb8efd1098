import type { HandlerName } from './handlers.js';
import type { Outcome } from './outcome.js';
import type { Quota } from './quota.js';
import type { Subject } from './trial.js';

/** How a server did at the capacity of the bare server, at three times as much, and at half as much after that. */
export interface Row extends Subject {
  /** How the processor was taken away for half of the time; undefined if it was not. */
  readonly quota?: Quota['by'];
  /** Of the bare server, in requests per second. */
  readonly capacity: number;
  readonly once: Outcome;
  readonly thrice: Outcome;
  readonly afterwards: Outcome;
  /** See `LoadResult`. */
  readonly lateP99Ms: number;
  readonly processor: number;
}

/** How a server did at one of many loads, once: there may be several of the same load. */
export interface Point extends Subject {
  readonly capacity: number;
  readonly times: number;
  readonly outcome: Outcome;
}

/** A run, as it is kept in a file. */
export interface Results {
  readonly date: string;
  readonly machine: string;
  readonly rows: readonly Row[];
  readonly points: readonly Point[];
}

/** Two rows are of the same server if only its protection differs. */
function isSameServer(one: Row, other: Row): boolean {
  return one.host === other.host && one.handler === other.handler && one.quota === other.quota;
}

/** What this server gets at its capacity: the most that it got with any protection, so that a row is not compared with its own weakness. */
function goodAtOnce(row: Row, rows: readonly Row[]): number {
  return Math.max(...rows.filter((other) => isSameServer(row, other)).map(({ once }) => once.goodPerSecond));
}

/** The part of what its server gets at its capacity, at three times the load. */
export function kept(row: Row, rows: readonly Row[]): number {
  return row.thrice.goodPerSecond / goodAtOnce(row, rows);
}

export const isOf =
  (handler: HandlerName, isHeld: boolean) =>
  (row: Row): boolean =>
    row.handler === handler && (row.quota !== undefined) === isHeld;
