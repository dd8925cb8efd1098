import type { Limit } from '@sluice/core';
import type { MistakeList } from './mistake-list.js';
import type { PolicyRule } from './policy-file.js';
import { readLimit } from './read-limit.js';
import type { FileInput } from './schema.js';
import type { Sound } from './structure.js';

/** Reads the limits of each tier. */
export function readTiers(
  tiers: Sound<FileInput>['tiers'],
  mistakes: MistakeList,
): ReadonlyMap<string, ReadonlyMap<string, Limit>> {
  const read = new Map<string, ReadonlyMap<string, Limit>>();
  for (const [name, inputs] of Object.entries(tiers ?? {})) {
    const limits = new Map<string, Limit>();
    for (const [limitName, input] of Object.entries(inputs ?? {})) {
      const limit = input && readLimit(input, ['tiers', name, limitName], mistakes);
      if (limit !== undefined) limits.set(limitName, limit);
    }
    read.set(name, limits);
  }
  return read;
}

/** Every tier has to have every tiered limit, and every limit of a tier has to be in a policy. */
export function checkTiers(
  tiers: NonNullable<Sound<FileInput>['tiers']>,
  read: ReadonlyMap<string, ReadonlyMap<string, Limit>>,
  policies: Iterable<PolicyRule>,
  mistakes: MistakeList,
): void {
  const tiered = [...policies].flatMap((policy) =>
    policy.limits
      .filter((rule) => rule.tiered)
      .map(({ name, slowDown }) => ({ limit: name, policy: policy.name, isSlowed: slowDown !== undefined })),
  );
  for (const [tier, limits] of Object.entries(tiers)) {
    if (limits === undefined) continue;
    for (const { limit, policy, isSlowed } of tiered) {
      const algorithm = read.get(tier)?.get(limit)?.algorithm;
      if (isSlowed && (algorithm === 'concurrency' || algorithm === 'leaky-bucket')) {
        const rule = `cannot be a ${algorithm}, because the policy ${policy} gives this limit slowDown: choose another algorithm`;
        mistakes.add(['tiers', tier, limit], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
      }
      if (Object.hasOwn(limits, limit)) continue;
      const rule = `is missing: the policy ${policy} takes this limit from the tier, so add it, or write ${limit}: unlimited`;
      mistakes.add(['tiers', tier, limit], rule, { at: 'missing', code: 'SLUICE_POLICY_FILE' });
    }
    // A limit that could not be read may have any name.
    if (mistakes.isDamaged(['policies'])) continue;
    for (const name of Object.keys(limits)) {
      if (tiered.some(({ limit }) => limit === name)) continue;
      const rule = `is in no policy: add { name: ${name}, tier: true } to the limits of a policy, or remove it`;
      mistakes.add(['tiers', tier, name], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
    }
  }
}
