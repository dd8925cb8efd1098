import { type Limit, unlimited } from '@sluice/core';
import type { LimitRule, PolicyFile, PolicyRule } from '../file/policy-file.js';
import type { CallerReader } from './caller.js';
import { Customers } from './customers.js';
import { TierChoice, type TierReader } from './tier.js';
import { noteTiers } from './tier-of.js';

/** A limit, or the function that chooses one of those in the file. */
type ChosenLimit<Req extends object> = Limit | ((request: Req) => Limit);

/** What chooses the limits of a policy. */
export interface LimitChoice<Req extends object> {
  readonly policy: PolicyRule;
  /** Undefined if the policy does not ask who the customer is. */
  readonly caller: CallerReader<Req> | undefined;
  /** Reads the tier of a request; undefined if the customer has it, or nobody. */
  readonly tier: TierReader<Req> | undefined;
  nowMs(): number;
}

/**
 * Compiles the numbers of a limit: a limit if it is the same for everybody, else a function. The function returns the objects
 * of the file, again and again, so that the core knows them.
 */
export function limitOf<Req extends object>(
  file: PolicyFile,
  rule: LimitRule,
  { policy, caller, tier, nowMs }: LimitChoice<Req>,
): ChosenLimit<Req> {
  const { name, tiered, limit = unlimited() } = rule;
  const customers = Customers.of(file);
  const choice = new TierChoice(policy, tier, tiered ? limitsByTier(file, name) : new Map(), limit);
  if (caller && customers.overridden.has(name)) {
    return (request) => {
      const { customer } = caller(request);
      const own = customer?.overrides.get(name);
      if (own && (own.untilMs === Number.POSITIVE_INFINITY || nowMs() < own.untilMs)) return own.limit;
      return choice.of(request, customer);
    };
  }
  if (!tiered) return limit;
  if (tier) return (request) => choice.of(request, undefined);
  if (!caller || !customers.haveTiers) return choice.usual;
  return (request) => choice.of(request, caller(request).customer);
}

/** The limits of one name, by tier. */
function limitsByTier(file: PolicyFile, name: string): ReadonlyMap<string, Limit> {
  noteTiers(file);
  return new Map([...file.tiers].map(([tier, limits]) => [tier, limits.get(name) ?? unlimited()]));
}
