import type { PolicyRule } from './policy-file.js';
import type { Bases } from './read-customers.js';
import { limitWordsOf } from './read-limit.js';
import type { FileInput, LimitInput } from './schema.js';
import type { Sound } from './structure.js';

/** Finds the limits that overrides can replace: those of policies that ask who the customer is. */
export function overrideBases(
  { tiers = {}, policies: inputs = {} }: Sound<FileInput>,
  policies: ReadonlyMap<string, PolicyRule>,
): Bases {
  const asking = [...policies.values()].filter(({ tier }) => tier?.from === 'customers');
  const limits = new Set(
    asking.flatMap((policy) => policy.limits.filter(({ variants }) => !variants).map(({ name }) => name)),
  );
  const cache = new Map<string, readonly Sound<LimitInput>[]>();
  const find = (limit: string, tier: string | undefined): readonly Sound<LimitInput>[] =>
    asking.flatMap((policy) => {
      const rule = policy.limits.find(({ name }) => name === limit);
      if (rule === undefined) return [];
      if (rule.tiered) {
        const own = tiers[tier ?? policy.tier?.default ?? '']?.[limit];
        return own === undefined ? [] : [own];
      }
      // The words are those in the file: a rule has only the limit that was made of them.
      const items = inputs[policy.name]?.limits ?? [];
      const item = items.length === policy.limits.length ? items[policy.limits.indexOf(rule)] : undefined;
      const words = item && limitWordsOf(item);
      return words === undefined ? [] : [words];
    });
  return {
    tiers: Object.keys(tiers),
    limits,
    wordsOf(limit, tier) {
      const id = `${tier ?? ''}\n${limit}`;
      const found = cache.get(id) ?? find(limit, tier);
      cache.set(id, found);
      return found;
    },
  };
}
