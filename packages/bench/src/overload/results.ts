import { type Spread, spreadOf } from '../spread.js';
import type { HandlerName } from './handlers.js';
import type { Protection } from './protection.js';
import { PART, type Quota } from './quota.js';
import type { HostName } from './servers/index.js';
import type { Trial } from './trial.js';

/** A server, and what stands in front of it. */
export interface Subject {
  readonly host: HostName;
  readonly handler: HandlerName;
  readonly protection: Protection;
  /** How the processor was taken away for half of the time; undefined if it was not. */
  readonly quota?: Quota['by'] | undefined;
}

/** How one server did at one load, in one run. */
export interface Point extends Trial {
  /** The load, in times the capacity. */
  readonly times: number;
}

/** How a new process did under one load after another. */
export interface Run extends Subject {
  readonly run: number;
  readonly points: readonly Point[];
}

/** The processor time of a refusal, in one run. */
export interface RefusalCost {
  readonly run: number;
  readonly host: HostName;
  /** Of the 503 that users of the framework write. */
  readonly ownMs: number;
  /** Of shedLoad's. */
  readonly shedLoadMs: number;
}

/** A campaign, as it is kept in a file. */
export interface Results {
  readonly date: string;
  readonly machine: string;
  readonly runs: readonly Run[];
  readonly costs: readonly RefusalCost[];
}

/** All runs of one subject. */
export interface Series {
  readonly subject: Subject;
  readonly runs: readonly Run[];
}

/** The runs by their subjects, in the order in which the subjects were first measured. */
export function seriesOf({ runs }: Results): Series[] {
  const all = new Map<string, { subject: Subject; runs: Run[] }>();
  for (const run of runs) {
    const { host, handler, protection, quota } = run;
    const name = [quota, handler, host, protection].join();
    const series = all.get(name) ?? { subject: { host, handler, protection, quota }, runs: [] };
    series.runs.push(run);
    all.set(name, series);
  }
  return [...all.values()];
}

/** What one figure of a series was at one load, in all runs. Runs that have none do not count. */
export function spreadAt({ runs }: Series, times: number, valueIn: (point: Point, run: Run) => number | null): Spread {
  const values = runs.flatMap((run) =>
    run.points.filter((point) => point.times === times).map((point) => valueIn(point, run)),
  );
  return spreadOf(values.filter((value) => value !== null));
}

/**
 * The good answers, of those that are possible: what the processor has left after it has refused as many with the framework's own
 * 503, in the same run.
 */
export function keptOfIdeal(point: Point, run: Run, { costs }: Results): number {
  const cost = costs.find((one) => one.run === run.run && one.host === run.host);
  if (!cost) throw new Error(`run ${run.run} has no costs of ${run.host}`);
  const refusedPerSecond = point.outcome.shed * point.outcome.offeredPerSecond;
  const processor = run.quota === undefined ? 1 : PART;
  const ideal = 1 - (refusedPerSecond * cost.ownMs) / 1000 / processor;
  return point.kept / ideal;
}

export const isOf =
  (handler: HandlerName, isHeld: boolean) =>
  ({ subject }: Series): boolean =>
    subject.handler === handler && (subject.quota !== undefined) === isHeld;
