import type { MistakeList } from './mistake-list.js';
import type { KeyRule, LimitRule, PolicyRule } from './policy-file.js';
import type { Bases } from './read-customers.js';
import { limitWordsOf } from './read-limit.js';
import type { FileInput, LimitInput } from './schema.js';
import type { Sound } from './structure.js';

/** Finds what customers are checked against: the limits of policies that ask who the customer is, and their keys. */
export function customerBases(
  { tiers = {}, policies: inputs = {} }: Sound<FileInput>,
  policies: ReadonlyMap<string, PolicyRule>,
  keys: ReadonlyMap<string, KeyRule>,
  mistakes: MistakeList,
): Bases {
  const asking = [...policies.values()].filter(({ tier }) => tier?.from === 'customers');
  const rules = asking.flatMap((policy) => policy.limits);
  const limits = new Set(rules.map(({ name }) => name));
  // The core needs these limits to be the same for all.
  const fixed = new Map(
    rules.flatMap(({ name, variants, guarantee }) => {
      const option = variants ? 'variants' : guarantee && 'guarantee';
      return option === undefined ? [] : [[name, option] as const];
    }),
  );
  const wordsOfTier = (tier: string, limit: string): Sound<LimitInput> | undefined =>
    mistakes.isDamaged(['tiers', tier, limit]) ? undefined : tiers[tier]?.[limit];
  // The words are those in the file: a rule has only the limit that was made of them.
  const wordsOfPolicy = (policy: PolicyRule, rule: LimitRule): Sound<LimitInput> | undefined => {
    const items = inputs[policy.name]?.limits ?? [];
    const areAll = items.length === policy.limits.length;
    const item = areAll ? items[policy.limits.indexOf(rule)] : items.find((each) => each?.name === rule.name);
    return item && limitWordsOf(item);
  };
  const find = (limit: string, tier: string | undefined): readonly Sound<LimitInput>[] | undefined => {
    const found = asking.flatMap((policy) => {
      const rule = policy.limits.find(({ name }) => name === limit);
      if (rule === undefined) return [];
      return [rule.tiered ? wordsOfTier(tier ?? policy.tier?.default ?? '', limit) : wordsOfPolicy(policy, rule)];
    });
    const sound = found.filter((words) => words !== undefined);
    return sound.length === found.length ? sound : undefined;
  };
  const cache = new Map<string, readonly Sound<LimitInput>[] | undefined>();
  return {
    tiers: Object.keys(tiers),
    limits,
    fixed,
    ipv6Subnet: commonSubnet(asking.map(({ key: [first = ''] }) => keys.get(first))),
    wordsOf(limit, tier) {
      const id = `${tier ?? ''}\n${limit}`;
      if (!cache.has(id)) cache.set(id, find(limit, tier));
      return cache.get(id);
    },
  };
}

/** Returns the subnet of all keys, if all are addresses with the same one. */
function commonSubnet([first, ...others]: readonly (KeyRule | undefined)[]): number | undefined {
  const subnet = first?.from === 'ip' ? first.ipv6Subnet : undefined;
  return others.every((key) => key?.from === 'ip' && key.ipv6Subnet === subnet) ? subnet : undefined;
}
