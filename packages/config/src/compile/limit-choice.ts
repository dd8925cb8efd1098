import { type Limit, unlimited } from '@sluice/core';
import type { LimitRule, PolicyFile, PolicyRule } from '../file/policy-file.js';
import type { CallerReader } from './caller.js';
import { Customers } from './customers.js';
import { TierChoice, type TierReader } from './tier.js';

/** A limit, or the function that chooses one of those in the file. */
export type ChosenLimit<Req extends object> = Limit | ((request: Req) => Limit);

/** What chooses the limits of a policy. */
export interface LimitChoice<Req extends object> {
  readonly policy: PolicyRule;
  /** Undefined if the policy has no customers. */
  readonly caller: CallerReader<Req> | undefined;
  readonly tier: TierReader<Req> | undefined;
  nowMs(): number;
}

/**
 * Compiles one limit of a policy: a limit if it is the same for everybody, else a function. The function returns the objects
 * of the file, again and again, so that the core knows them.
 */
export function limitOf<Req extends object>(
  file: PolicyFile,
  rule: LimitRule,
  { policy, caller, tier, nowMs }: LimitChoice<Req>,
): ChosenLimit<Req> {
  const { name } = rule;
  const customers = Customers.of(file);
  const choice = new TierChoice(policy, tier, limitsByTier(file, rule), rule.limit ?? unlimited());
  const isTiered = rule.limit === undefined && !(choice.isByCustomer && (caller === undefined || customers.isEmpty));
  if (caller === undefined || !customers.overridden.has(name)) {
    if (!isTiered) return choice.usual;
    return (request) => choice.of(request, caller?.(request).customer);
  }
  return (request) => {
    const { customer } = caller(request);
    const own = customer?.overrides.get(name);
    if (own && (own.untilMs === Number.POSITIVE_INFINITY || nowMs() < own.untilMs)) return own.limit;
    return choice.of(request, customer);
  };
}

/** The limits of one name, by tier. A tier without it has no such limit. */
function limitsByTier({ tiers }: PolicyFile, { name, limit }: LimitRule): ReadonlyMap<string, Limit> {
  if (limit !== undefined) return new Map();
  return new Map([...tiers].map(([tier, limits]) => [tier, limits.get(name) ?? unlimited()]));
}
