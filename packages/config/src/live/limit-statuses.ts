import type { Clock, Limit, LimitStatus } from '@sluice/core';
import { shareAt } from '../compile/rollout.js';
import type { Enforcement, LimitRule, PolicyFile, PolicyRule } from '../file/policy-file.js';
import { variantName } from '../file/read-policy.js';

/** How policies are enforced now. */
interface EnforcementState {
  readonly mode: Enforcement;
  readonly braked: ReadonlySet<string>;
}

/** Returns every limit of a file as it is now, in each tier. What limits nothing is left out. */
export function limitStatuses(
  { policies, tiers }: PolicyFile,
  { mode, braked }: EnforcementState,
  clock: Clock,
): readonly LimitStatus[] {
  const nowMs = clock.now();
  return [...policies.values()].flatMap((policy) =>
    policy.limits.flatMap((rule) => {
      const enforce = mode === 'on' ? shareOf(rule, policy, braked.has(policy.name), nowMs) : 0;
      const status = (limit: Limit, tier = '', name = rule.name): LimitStatus => ({
        policy: policy.name,
        limit: name,
        tier,
        quota: limit.quota,
        windowMs: limit.windowMs,
        enforce,
      });
      return limitsOf(rule, tiers)
        .filter(([limit]) => limit.algorithm !== 'unlimited')
        .map((one) => status(...one));
    }),
  );
}

function limitsOf(
  { name, limit, tiered, variants }: LimitRule,
  tiers: PolicyFile['tiers'],
): readonly [limit: Limit, tier?: string, name?: string][] {
  if (variants) return variants.map((variant) => [variant.limit, '', variantName(name, variant.name)]);
  if (!tiered) return limit ? [[limit]] : [];
  return [...tiers].flatMap(([tier, limits]): [Limit, string][] => {
    const own = limits.get(name);
    return own ? [[own, tier]] : [];
  });
}

function shareOf({ enforce = 1 }: LimitRule, policy: PolicyRule, isBraked: boolean, nowMs: number): number {
  const ofPolicy = policy.enforce ?? (isBraked ? 0 : shareAt(policy.rollout, nowMs));
  return enforce === 'mark' || ofPolicy === 'mark' ? 0 : Math.min(enforce, ofPolicy);
}
