import type { Limit } from '@sluice/core';
import type { PolicyFile } from '../file/policy-file.js';

/** A limit that two files have. */
interface SharedLimit {
  /** Its path, as changes of a file name it. */
  readonly path: string;
  /** Its place, in words. */
  readonly place: string;
  readonly old: Limit;
  readonly next: Limit;
}

/** Returns the limits of policies and tiers that two files have by the same name. */
export function sharedLimits(old: PolicyFile, next: PolicyFile): SharedLimit[] {
  return [...sharedOfPolicies(old, next), ...sharedOfTiers(old, next)];
}

function sharedOfPolicies(old: PolicyFile, next: PolicyFile): SharedLimit[] {
  return [...old.policies].flatMap(([policy, was]) =>
    was.limits.flatMap(({ name, limit }) => {
      const is = next.policies.get(policy)?.limits.find((other) => other.name === name)?.limit;
      if (!limit || !is) return [];
      return [
        { path: `policies.${policy}.limits.${name}`, place: `Policy ${policy}, limit ${name}`, old: limit, next: is },
      ];
    }),
  );
}

function sharedOfTiers(old: PolicyFile, next: PolicyFile): SharedLimit[] {
  return [...old.tiers].flatMap(([tier, was]) =>
    [...was].flatMap(([name, limit]) => {
      const is = next.tiers.get(tier)?.get(name);
      return is ? [{ path: `tiers.${tier}.${name}`, place: `Tier ${tier}, limit ${name}`, old: limit, next: is }] : [];
    }),
  );
}
