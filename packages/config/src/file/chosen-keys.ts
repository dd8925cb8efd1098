import type { Limit } from '@sluice/core';
import type { PolicyObjection } from './policy-check.js';
import type { LimitRule, PolicyFile, PolicyRule } from './policy-file.js';

/**
 * Returns the policies that refuse nobody who invents keys: all of their limits count by a header field that no list of customers
 * verifies, so a client begins afresh with each new value. A key of code is what the program says, and is not among them.
 */
export function chosenKeys(file: PolicyFile): readonly PolicyObjection[] {
  return [...file.policies.values()].flatMap((policy) => chosenKey(file, policy) ?? []);
}

function chosenKey(file: PolicyFile, policy: PolicyRule): PolicyObjection | undefined {
  const limits = [...policy.limits.entries()].filter(([, limit]) => mayRefuse(file, policy, limit));
  const headers = limits.map(([, limit]) => chosenHeader(file, policy, limit));
  const [first] = headers;
  if (first === undefined || headers.includes(undefined)) return undefined;
  const own = limits.every(([, { key }]) => key !== undefined) ? limits[0] : undefined;
  return {
    path: ['policies', policy.name, ...(own === undefined ? [] : ['limits', own[0]]), 'key'],
    rule:
      `is what a client can choose: with each new value of the header ${first}, all limits begin afresh. Add a limit by address, ` +
      'such as { name: address, key: address, limit: 1000, window: 1m }, or list the customers and write tier: { from: customers }',
  };
}

/** The header field with which a client begins afresh; undefined if there is none. One such part is enough. */
function chosenHeader(
  { keys }: PolicyFile,
  { key, unknownCustomer }: PolicyRule,
  limit: LimitRule,
): string | undefined {
  for (const name of limit.key ?? key) {
    const rule = keys.get(name);
    // Customers are asked about the first key of the policy: a value that none of them has counts by address, or is refused.
    const isVerified = name === key[0] && unknownCustomer !== undefined;
    if (rule?.from === 'header' && !isVerified) return rule.header;
  }
  return undefined;
}

/** Whether a limit refuses anybody: it is enforced, requests spend something of it, and one of its numbers is a limit. */
function mayRefuse(file: PolicyFile, policy: PolicyRule, limit: LimitRule): boolean {
  const { enforce, cost = policy.cost } = limit;
  if (enforce === 0 || enforce === 'mark' || (cost.from === 'constant' && cost.units === 0)) return false;
  return numbersOf(file, policy, limit).some((one) => one?.algorithm !== 'unlimited');
}

/**
 * Returns the limits that requests can get. If tiers have the numbers, the limit is that of the default tier, which every client
 * without a tier has.
 */
function numbersOf(
  { tiers }: PolicyFile,
  { tier }: PolicyRule,
  { name, limit, variants }: LimitRule,
): readonly (Limit | undefined)[] {
  if (variants) return variants.map((variant) => variant.limit);
  return [limit ?? (tier?.default === undefined ? undefined : tiers.get(tier.default)?.get(name))];
}
