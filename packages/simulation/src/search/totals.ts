import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { CAN_BE_PLAYED, type Failure } from './failure.js';
import type { FaultSetName } from './fault-sets.js';
import { type KnownDefect, knownDefectOf } from './known-defects.js';
import type { SeedResult } from './seed-run.js';
import { shapeOf } from './shape.js';

/** An unknown failure. All that break the same invariant with tapes of the same shape are one. */
export interface UnknownFailure {
  readonly invariant: string;
  readonly seed: number;
  /** Where its tape is. */
  readonly file: string;
  times: number;
}

/** When a defect was met for the first time. */
interface FirstMet {
  readonly seed: number;
  /** How long a processor had been busy until then, also with what was shrunk and told. */
  readonly seconds: number;
}

/** What the tapes with one fault set have shown. */
interface FaultSetRow {
  runs: number;
  events: number;
  known: number;
  unknown: number;
}

/** What a campaign has shown, over all seeds below `next`. It is plain data, so that another run can go on with it. */
export interface Totals {
  /** The first seed. */
  readonly from: number;
  next: number;
  seeds: number;
  events: number;
  calls: number;
  seconds: number;
  /** How long a processor was busy with it, in this thread and in others. */
  processorSeconds: number;
  readonly rows: Partial<Record<FaultSetName, FaultSetRow>>;
  /** How often each known defect was met, by its name. */
  readonly known: Record<string, number>;
  /** When each known defect was first met. */
  readonly met: Record<string, FirstMet>;
  /** By invariant and shape. */
  readonly unknown: Record<string, UnknownFailure>;
  /** How many events were played with each version of the code. */
  readonly versions: Record<string, number>;
}

export function newTotals(from: number): Totals {
  return {
    from,
    next: from,
    seeds: 0,
    events: 0,
    calls: 0,
    seconds: 0,
    processorSeconds: 0,
    rows: {},
    known: {},
    met: {},
    unknown: {},
    versions: {},
  };
}

/** Reads the totals of a campaign that was run in pieces; undefined if none was. */
export function readTotals(file: string): Totals | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Writes totals so that a reader finds the old ones or the new ones, whenever this process ends. */
export function writeTotals(file: string, totals: Totals): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(totals, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/**
 * Counts what a seed has shown.
 *
 * @param version - the code that was played
 * @param found - writes the tape of an unknown failure that is the first of its kind, and returns where
 */
export function count(
  totals: Totals,
  { seed, faults, events, calls, failure }: SeedResult,
  { version, known }: { readonly version: string; readonly known: readonly KnownDefect[] },
  found: (seed: number, failure: Failure) => string,
): void {
  totals.next = seed + 1;
  totals.seeds += 1;
  totals.events += events;
  totals.calls += calls;
  totals.versions[version] = (totals.versions[version] ?? 0) + events;
  totals.rows[faults] ??= { runs: 0, events: 0, known: 0, unknown: 0 };
  const row = totals.rows[faults];
  row.runs += 1;
  row.events += events;
  if (!failure) return;
  const { invariant, tape } = failure;
  const defect = invariant === CAN_BE_PLAYED ? undefined : knownDefectOf(invariant, tape, known);
  if (defect) {
    row.known += 1;
    totals.known[defect.name] = (totals.known[defect.name] ?? 0) + 1;
    totals.met[defect.name] ??= { seed, seconds: totals.processorSeconds };
    return;
  }
  row.unknown += 1;
  const kind = JSON.stringify([invariant, shapeOf(tape)]);
  const before = totals.unknown[kind];
  if (before) before.times += 1;
  else totals.unknown[kind] = { invariant, seed, file: found(seed, failure), times: 1 };
}
