import type { Conversion, ConvertedLimit } from './conversion.js';

/**
 * Makes the policies of a conversion ones that a file may have. A policy of which no limit could be converted is left out, and
 * its notes are told at the top. Limits of one policy that would have the same name get numbers.
 */
export function wholePolicies(conversion: Conversion): Conversion {
  const { notes, policies } = conversion;
  const [whole, empty] = [
    policies.filter(({ limits }) => limits.length > 0),
    policies.filter(({ limits }) => limits.length === 0),
  ];
  return {
    ...conversion,
    notes: [...notes, ...empty.flatMap((policy) => policy.notes)],
    policies: whole.map((policy) => ({ ...policy, limits: numbered(policy.limits) })),
  };
}

/** A limit whose numbers the tiers have keeps the name that they know. */
function numbered(limits: readonly ConvertedLimit[]): ConvertedLimit[] {
  const taken = new Set(limits.filter(({ spec }) => spec === undefined).map(({ name }) => name));
  return limits.map((limit) => {
    if (limit.spec === undefined) return limit;
    let { name } = limit;
    for (let n = 2; taken.has(name); n += 1) name = `${limit.name}-${n}`;
    taken.add(name);
    return { ...limit, name };
  });
}
