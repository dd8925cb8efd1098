// Why it is so: docs/why/metrics.md

import type { Decision, Verdict } from '../values/decision.js';
import {
  ALLOWED,
  type LimitRecorder,
  MOST_TENTHS,
  type PolicyRecorder,
  policyRecorder,
  REFUSED,
  REFUSED_CHECKS,
  SHADOWED,
  SOURCES,
  SPENT,
  TENTHS,
  WOULD_REFUSE,
} from '../values/policy-recorder.js';
import type { Item, Policy } from './policy/parse.js';

/** Where the decisions of a policy are recorded: its own numbers, and those of its limits in their order. */
export interface DecisionMetrics {
  readonly policy: PolicyRecorder;
  readonly limits: readonly LimitRecorder[];
}

/** Returns where the decisions of a policy are recorded. */
export function metricsOf({ name, items }: Policy<never>): DecisionMetrics {
  const policy = policyRecorder(name);
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
  let outcome = REFUSED;
  if (allowed) outcome = shadowed ? SHADOWED : ALLOWED;
  (policy.decisions[source === 'store' ? outcome : outcome + SOURCES.indexOf(source)] as number) += 1;
  const isCharged = allowed && (source === 'store' || source === 'local');
  for (let i = 0; i < verdicts.length; i += 1)
    recordVerdict(limits[i] as LimitRecorder, verdicts[i] as Verdict, isCharged);
}

function recordVerdict({ numbers, delays }: LimitRecorder, verdict: Verdict, isCharged: boolean): void {
  const { allowed, limit, remaining, cost, delayMs } = verdict;
  if (!allowed) {
    (numbers[verdict.shadow ? WOULD_REFUSE : REFUSED_CHECKS] as number) += 1;
    return;
  }
  const { quota, algorithm } = limit;
  // Rounded up. The quota may be 0 if a store failed and nothing is refused.
  const tenthsLeft = remaining < quota ? Math.ceil((MOST_TENTHS * remaining) / quota) : MOST_TENTHS;
  (numbers[TENTHS + tenthsLeft] as number) += 1;
  if (!isCharged) return;
  // A slot is no unit, and neither is what an unlimited tier lets pass.
  if (algorithm !== 'concurrency' && algorithm !== 'unlimited') (numbers[SPENT] as number) += cost;
  if (delayMs > 0) delays.add(delayMs);
}
