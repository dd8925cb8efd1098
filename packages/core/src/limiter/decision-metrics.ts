// Why it is so: docs/why/counters-and-metrics.md

import type { Decision, Verdict } from '../values/decision.js';
import { usesSlots } from '../values/limit.js';
import {
  ALLOWED,
  countsOfPolicy,
  type LimitCounts,
  MOST_TENTHS,
  type PolicyCounts,
  REFUSED,
  REFUSED_CHECKS,
  SHADOWED,
  SOURCES,
  SPENT,
  TENTHS,
  WOULD_REFUSE,
} from '../values/policy-counts.js';
import type { Item, Policy } from './policy/parse.js';

/** Where the decisions of a policy are recorded: its own numbers, and those of its limits in their order. */
export interface DecisionMetrics {
  readonly policy: PolicyCounts;
  readonly limits: readonly LimitCounts[];
}

/** Returns where the decisions of a policy are recorded. */
export function metricsOf({ name, items }: Policy<never>): DecisionMetrics {
  const policy = countsOfPolicy(name);
  return { policy, limits: items.map((item) => policy.limit(item.name)) };
}

/** Notes that the limits of a policy are in force from now on, and what they are. */
export function noteLimits(items: readonly Item<never>[], { policy, limits }: DecisionMetrics): void {
  policy.added(limits);
  items.forEach(({ limit, enforce }, i) => {
    const known = typeof limit === 'function' ? undefined : limit;
    limits[i]?.describe(known, typeof enforce === 'function' ? enforce : () => enforce);
  });
}

/** Records a decision about a request. */
export function recordDecision(
  { policy, limits }: DecisionMetrics,
  { allowed, shadowed, verdicts, source }: Decision,
): void {
  const outcome = allowed ? (shadowed ? SHADOWED : ALLOWED) : REFUSED;
  add(policy.decisions, source === 'store' ? outcome : outcome + SOURCES.indexOf(source), 1);
  const isCharged = allowed && (source === 'store' || source === 'local');
  for (let i = 0; i < verdicts.length; i += 1)
    recordVerdict(limits[i] as LimitCounts, verdicts[i] as Verdict, isCharged);
}

function recordVerdict({ numbers, delays }: LimitCounts, verdict: Verdict, isCharged: boolean): void {
  const { allowed, limit, remaining, cost, delayMs } = verdict;
  if (!allowed) {
    add(numbers, verdict.shadow ? WOULD_REFUSE : REFUSED_CHECKS, 1);
    return;
  }
  const { quota } = limit;
  add(numbers, TENTHS + tenthsLeft(remaining, quota), 1);
  if (!isCharged) return;
  if (!usesSlots(limit) && limit.algorithm !== 'unlimited') add(numbers, SPENT, cost);
  if (delayMs > 0) delays.add(delayMs);
}

/** Returns how many tenths of a quota are left, rounded up. The quota may be 0 if a store failed and nothing is refused. */
function tenthsLeft(remaining: number, quota: number): number {
  return remaining < quota ? Math.ceil((MOST_TENTHS * remaining) / quota) : MOST_TENTHS;
}

function add(numbers: Float64Array, index: number, amount: number): void {
  numbers[index] = (numbers[index] as number) + amount;
}
