import type { Limit } from '@sluice/core';
import type { CustomerRule, LimitRule, PolicyFile, PolicyRule } from '../file/policy-file.js';

/** Returns the limit that a customer has by its override or its tier, whenever it ends; undefined if it has variants. */
export function customerLimit(
  file: PolicyFile,
  policy: PolicyRule,
  rule: LimitRule,
  customer: CustomerRule,
): Limit | undefined {
  const tier = customer.tier ?? policy.tier?.default;
  const usual = rule.tiered && tier !== undefined ? file.tiers.get(tier)?.get(rule.name) : rule.limit;
  return customer.overrides.get(rule.name)?.limit ?? usual;
}
