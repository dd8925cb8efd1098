import type { Failure } from './failure.js';
import type { FaultSetName } from './fault-sets.js';
import type { SeedResult } from './seed-run.js';
import { shapeOf } from './shape.js';

/** What decides which tapes a campaign plays. */
export interface CampaignPlan {
  /** The first seed. */
  readonly from: number;
  readonly faults: FaultSetName | 'drawn';
  readonly isWhole: boolean;
  /** How many versions of the code processes may run. */
  readonly codes: number;
}

/** An unknown failure. All that break the same invariant with tapes of the same shape are one, in one version of the code. */
export interface UnknownFailure {
  readonly invariant: string;
  readonly seed: number;
  readonly version: string;
  /** Where its tape is. */
  readonly file: string;
  times: number;
}

/** When a defect was met for the first time. */
interface FirstMet {
  readonly seed: number;
  /** How long a processor had been busy until then, also with what was shrunk and told. */
  readonly seconds: number;
  /** Where its tape is. */
  readonly file: string;
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
  readonly plan: CampaignPlan;
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
  /** By invariant, shape and version. */
  readonly unknown: Record<string, UnknownFailure>;
  /** How many events were played with each version of the code. */
  readonly versions: Record<string, number>;
}

export function newTotals(plan: CampaignPlan): Totals {
  return {
    plan,
    next: plan.from,
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

/**
 * Counts what a seed has shown.
 *
 * @param version - the code that was played
 * @param found - keeps a failure that is the first of its kind, and returns where
 */
export function count(
  totals: Totals,
  { seed, faults, events, calls, failure }: SeedResult,
  version: string,
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
  const { invariant, tape, defect } = failure;
  if (defect !== undefined) {
    row.known += 1;
    totals.known[defect] = (totals.known[defect] ?? 0) + 1;
    totals.met[defect] ??= { seed, seconds: totals.processorSeconds, file: found(seed, failure) };
    return;
  }
  row.unknown += 1;
  const kind = JSON.stringify([invariant, shapeOf(tape), version]);
  const before = totals.unknown[kind];
  if (before) before.times += 1;
  else totals.unknown[kind] = { invariant, seed, version, file: found(seed, failure), times: 1 };
}
