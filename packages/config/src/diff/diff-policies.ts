import type { Limit } from '@sluice/core';
import type { LimitRule, PolicyFile, PolicyRule } from '../file/policy-file.js';
import { addition, diffMaps, removal } from './diff-maps.js';
import { forgetsAs, forgetting, keyIdentity } from './forgotten.js';
import { diffLimits } from './limit-settings.js';
import type { PolicyChange } from './policy-change.js';
import { limitRuleSettings, policySettings } from './policy-settings.js';
import { diffSettings } from './settings.js';

/** Returns what differs in policies and their limits. */
export function diffPolicies(old: PolicyFile, next: PolicyFile): PolicyChange[] {
  return diffMaps(old.policies, next.policies, {
    removed: (name, was) =>
      removal(
        `policies.${name}`,
        limitNames(was),
        `Policy ${name} is removed: it limits nobody any more.`,
        'all that was spent on it, also if it has another name now',
      ),
    added: (name, is) =>
      addition(`policies.${name}`, limitNames(is), `Policy ${name} is new, with the limits ${limitNames(is)}.`),
    changed: (name, was, is) => [
      ...diffPolicy(name, [old, was], [next, is]),
      ...diffLimitRules(name, [old, was], [next, is]),
    ],
  });
}

const limitNames = ({ limits }: PolicyRule): string => limits.map(({ name }) => name).join(', ');

/** A policy, and the file that says what its keys and tiers are. */
type PolicyOf = readonly [file: PolicyFile, policy: PolicyRule];

function diffPolicy(name: string, [old, was]: PolicyOf, [next, is]: PolicyOf): readonly PolicyChange[] {
  const changes = diffSettings(`policies.${name}`, `Policy ${name}`, policySettings(was), policySettings(is));
  return changes.map((change) => ({ ...change, forgets: forgetsBy(change.path) }));

  function forgetsBy(path: string): string | undefined {
    if (path === `policies.${name}.key` && keyIdentity(old, was.key) !== keyIdentity(next, is.key)) {
      return 'all that was counted by the old key';
    }
    if (path === `policies.${name}.unknownCustomer` || path === `policies.${name}.tier.from`) {
      return 'all that was spent by keys that no customer has';
    }
    return undefined;
  }
}

function diffLimitRules(name: string, [old, was]: PolicyOf, [next, is]: PolicyOf): PolicyChange[] {
  const path = `policies.${name}.limits`;
  return diffMaps(byName(was), byName(is), {
    removed: (limit) =>
      removal(
        `${path}.${limit}`,
        limit,
        `Policy ${name}: limit ${limit} is removed.`,
        'all that was spent on it, also if it has another name now',
      ),
    added: (limit) =>
      addition(`${path}.${limit}`, limit, `Policy ${name}: limit ${limit} is new. It begins with nothing spent.`),
    changed: (limit, from, to) => {
      const place = `Policy ${name}, limit ${limit}`;
      const changes = [
        ...diffLimits(`${path}.${limit}`, place, from.limit, to.limit),
        ...diffSettings(`${path}.${limit}`, place, limitRuleSettings(from), limitRuleSettings(to)),
      ];
      const hasOwnKey = from.key !== undefined || to.key !== undefined;
      const rekeyed = hasOwnKey && keyIdentity(old, from.key ?? was.key) !== keyIdentity(next, to.key ?? is.key);
      if (rekeyed) return forgetting(changes, 'all that was counted by the old key');
      return forgetting(changes, forgetsByLimit([old, from], [next, to]));
    },
  });
}

const byName = ({ limits }: PolicyRule): Map<string, LimitRule> => new Map(limits.map((rule) => [rule.name, rule]));

/** What a limit of the same name forgets by its numbers. Changes of one tier are told where the tier is. */
function forgetsByLimit([old, from]: LimitOf, [next, to]: LimitOf): string | undefined {
  if (divisionOf(from) !== divisionOf(to)) return 'all that was spent by keys that another variant has now';
  if (from.tiered && to.tiered) return undefined;
  const others = limitsOf(next, to);
  for (const limit of limitsOf(old, from)) {
    const [forgets] = others.flatMap((other) => forgetsAs(limit, other) ?? []);
    if (forgets !== undefined) return forgets;
  }
  return undefined;
}

type LimitOf = readonly [file: PolicyFile, rule: LimitRule];

/** How keys are divided between variants. */
const divisionOf = ({ variants }: LimitRule): string =>
  JSON.stringify(variants?.map(({ name, share, limit }) => [name, share, limit.algorithm]));

/** The limits that keys can have by a rule. */
function limitsOf({ tiers }: PolicyFile, { name, limit, variants }: LimitRule): Limit[] {
  if (limit) return [limit];
  if (variants) return variants.map((variant) => variant.limit);
  return [...tiers.values()].flatMap((limits) => limits.get(name) ?? []);
}
