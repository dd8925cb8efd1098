import type { LimitRule, PolicyFile, PolicyRule } from '@sluice/config';

/** Keys that limits of a policy count by together. */
export interface KeySet {
  /** Their names in the file, in the order in which the store has them. */
  readonly names: readonly string[];
  /** The limits that count by them. */
  readonly limits: readonly LimitRule[];
}

/** Returns what the limits of a policy count by: the key of the policy first, then those of single limits. */
export function keySetsOf({ key, limits }: PolicyRule): readonly KeySet[] {
  const sets = new Map<string, { names: readonly string[]; limits: LimitRule[] }>();
  sets.set(JSON.stringify(key), { names: key, limits: [] });
  for (const limit of limits) {
    const names = limit.key ?? key;
    const id = JSON.stringify(names);
    const set = sets.get(id) ?? { names, limits: [] };
    set.limits.push(limit);
    sets.set(id, set);
  }
  return [...sets.values()];
}

/** The names of which an operator has to give a value: `everyone` has only one. */
export function namesToGive(names: readonly string[], { keys }: Pick<PolicyFile, 'keys'>): readonly string[] {
  return names.filter((name) => keys.get(name)?.from !== 'everyone');
}
