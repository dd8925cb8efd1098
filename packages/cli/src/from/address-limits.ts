import { chosenKeys, readPolicyFile } from '@sluice/config';
import type { Conversion, ConvertedLimit, ConvertedPolicy, LimitSpec } from './conversion.js';
import { ADDRESS } from './named-key.js';
import { UNLIMITED } from './tiers.js';
import { writePolicyFile } from './write-policy-file.js';

/** An address may have so many keys that use their whole limit. */
const KEYS_PER_ADDRESS = 10;

/** The options of a limit that say how much it admits. */
const AMOUNTS: ReadonlySet<string> = new Set(['limit', 'capacity', 'refillRate', 'leakRate', 'immediate']);

/** Adds a limit by address to each policy that refuses nobody who invents keys: the original has none, and is no limit there. */
export function withAddressLimits(conversion: Conversion): Conversion {
  const { file } = readPolicyFile(writePolicyFile(conversion, ''));
  const open = new Set(file && chosenKeys(file).map(({ path }) => path[1]));
  if (open.size === 0) return conversion;
  return {
    ...conversion,
    policies: conversion.policies.map((policy) => (open.has(policy.name) ? guarded(policy, conversion) : policy)),
  };
}

function guarded(policy: ConvertedPolicy, { tiers }: Conversion): ConvertedPolicy {
  const first = policy.limits.find(({ enforce }) => enforce !== 0) as ConvertedLimit;
  const ofTiers = [...tiers.values()].map(({ limits }) => limits.get(first.name));
  const spec = first.spec ?? ofTiers.find((one) => one !== undefined && one !== UNLIMITED);
  if (spec === undefined) return policy;
  const taken = new Set(policy.limits.map(({ name }) => name));
  const guard: ConvertedLimit = {
    name: taken.has(ADDRESS.name) ? 'per-address' : ADDRESS.name,
    spec: manifold(spec),
    key: [ADDRESS.name],
    notes: [
      {
        kind: 'differs',
        text: `this limit is not in the original, which lets a client begin afresh with each key that it invents. An address gets ${KEYS_PER_ADDRESS} times the limit ${first.name}: write more if many clients share an address`,
      },
    ],
  };
  return { ...policy, limits: [...policy.limits, guard] };
}

function manifold(spec: LimitSpec): LimitSpec {
  const scaled = Object.entries(spec).map(([option, value]) => [
    option,
    // Twelve digits, so that 1.666 becomes 16.66.
    AMOUNTS.has(option) && typeof value === 'number' ? Number((value * KEYS_PER_ADDRESS).toPrecision(12)) : value,
  ]);
  return Object.fromEntries(scaled);
}
