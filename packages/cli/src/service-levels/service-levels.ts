// What is reported, and what to promise: metrics/docs/service-levels.md

import { type Month, STEP_MS } from './month.js';
import type { PrometheusClient, PrometheusSample } from './prometheus.js';

/** What is counted of a policy in a month. Numbers are rounded to whole requests, since Prometheus has rates. */
export interface ServiceLevel {
  readonly job: string;
  readonly policy: string;
  readonly requests: number;
  /** The part of the requests that a limit refused: 0 to 1. */
  readonly limited: number;
  /** The part that passed without being counted, because the store failed. */
  readonly failedOpen: number;
  /** The part that was refused without being counted, because the store failed. */
  readonly failedClosed: number;
}

/** The service levels of a month. */
export interface ServiceLevels {
  /** As `2026-10`. */
  readonly month: string;
  readonly from: string;
  /** When the month ended, or until when it was read. */
  readonly to: string;
  /** The part of this time for which Prometheus has numbers: 0 to 1. */
  readonly coverage: number;
  /** By job and policy. A policy without requests has no shares, and is left out. */
  readonly policies: readonly ServiceLevel[];
  /** All policies together. A request that passes two policies counts twice. */
  readonly total: Omit<ServiceLevel, 'job' | 'policy'>;
}

/** What to read. */
interface LevelsRequest {
  readonly month: Month;
  /** Only the policies of this job. Absent: of all. */
  readonly job?: string | undefined;
  /** Whether to read the counters themselves. Absent: what the recording rules have kept. */
  readonly fromCounters?: boolean | undefined;
}

const PARTS = ['requests', 'limited', 'failedOpen', 'failedClosed'] as const;

type Part = (typeof PARTS)[number];

/** What `sluice.rules.yml` records, and which decisions it counts. */
const SERIES: Readonly<Record<Part, { readonly recorded: string; readonly labels: readonly string[] }>> = {
  requests: { recorded: 'policy:sluice_decisions:rate5m', labels: [] },
  limited: { recorded: 'policy:sluice_limited:rate5m', labels: ['outcome="refused"', 'source=~"store|local"'] },
  failedOpen: { recorded: 'policy:sluice_failed_open:rate5m', labels: ['source="allow"'] },
  failedClosed: { recorded: 'policy:sluice_failed_closed:rate5m', labels: ['source="deny"'] },
};

/**
 * Returns the expressions to evaluate at the end of the month. A rate of 5 minutes is read every 5 minutes, so that each request is in
 * one of them.
 */
export function levelExpressions(request: LevelsRequest): Readonly<Record<Part | 'steps', string>> {
  const { fromMs, endMs } = request.month;
  // The first step ends 5 minutes after the beginning. The ends of a range belong to it in Prometheus 2 and not in 3.
  const range = `[${(endMs - fromMs) / 60_000 - 1}m:${STEP_MS / 60_000}m]`;
  const sums = PARTS.map((part) => [
    part,
    `sum by (job, policy) (sum_over_time(${rateOf(part, request)}${range})) * ${STEP_MS / 1000}`,
  ]);
  const steps = `count_over_time(group(${rateOf('requests', request)})${range})`;
  return { ...(Object.fromEntries(sums) as Record<Part, string>), steps };
}

function rateOf(part: Part, { job, fromCounters }: LevelsRequest): string {
  const { recorded, labels } = SERIES[part];
  const ofJob = job === undefined ? [] : [`job=${JSON.stringify(job)}`];
  const matching = (all: readonly string[]): string => (all.length === 0 ? '' : `{${all.join(', ')}}`);
  if (!fromCounters) return recorded + matching(ofJob);
  return `sum by (job, policy) (rate(sluice_decisions_total${matching([...ofJob, ...labels])}[5m]))`;
}

/**
 * Reads the service levels of a month.
 *
 * @throws CommandError 3 if Prometheus cannot be asked
 */
export async function readServiceLevels(prometheus: PrometheusClient, request: LevelsRequest): Promise<ServiceLevels> {
  const { name, fromMs, endMs } = request.month;
  const expressions = levelExpressions(request);
  const read = async (what: Part | 'steps'): Promise<readonly PrometheusSample[]> =>
    prometheus.query(expressions[what], endMs);
  const counts = new Map<string, Record<Part, number>>();
  // One after another: each of them is work for Prometheus.
  for (const part of PARTS) {
    for (const { labels, value } of await read(part)) {
      const id = JSON.stringify([labels.job ?? '', labels.policy ?? '']);
      const own = counts.get(id) ?? { requests: 0, limited: 0, failedOpen: 0, failedClosed: 0 };
      own[part] += value;
      counts.set(id, own);
    }
  }
  const [steps] = await read('steps');
  const policies = [...counts]
    .filter(([, { requests }]) => requests > 0)
    .map(([id, own]) => {
      const [job, policy] = JSON.parse(id) as [string, string];
      return { job, policy, ...levelOf(own) };
    })
    .sort((one, other) => compare(one.job, other.job) || compare(one.policy, other.policy));
  return {
    month: name,
    from: new Date(fromMs).toISOString(),
    to: new Date(endMs).toISOString(),
    coverage: Math.min(1, (steps?.value ?? 0) / ((endMs - fromMs) / STEP_MS)),
    policies,
    total: levelOf(totalOf([...counts.values()])),
  };
}

function compare(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

function totalOf(counts: readonly Readonly<Record<Part, number>>[]): Readonly<Record<Part, number>> {
  const sum = (part: Part): number => counts.reduce((all, own) => all + own[part], 0);
  return {
    requests: sum('requests'),
    limited: sum('limited'),
    failedOpen: sum('failedOpen'),
    failedClosed: sum('failedClosed'),
  };
}

function levelOf({ requests, ...parts }: Readonly<Record<Part, number>>): ServiceLevels['total'] {
  const share = (count: number): number => (requests > 0 ? Math.min(1, count / requests) : 0);
  return {
    requests: Math.round(requests),
    limited: share(parts.limited),
    failedOpen: share(parts.failedOpen),
    failedClosed: share(parts.failedClosed),
  };
}
