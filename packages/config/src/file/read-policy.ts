import { usualOnStoreError } from '@sluice/core/values';
import { enforceOf } from './amounts.js';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import type { KeyRule, LimitRule, PolicyRule, TierRule } from './policy-file.js';
import { ONE_UNIT, readCost } from './read-cost.js';
import { readKeyNames } from './read-keys.js';
import { readLimitItem } from './read-limit-item.js';
import { readBrake, readRollout } from './read-rollout.js';
import { checkCustomerKey, readTier } from './read-tier.js';
import { readAddresses } from './read-trust.js';
import type { PolicyInput } from './schema.js';
import type { Sound } from './structure.js';

/** What the policies of a file refer to. */
export interface Names {
  readonly keys: ReadonlyMap<string, KeyRule>;
  readonly tiers: readonly string[];
}

/** Reads one policy. Its parts that have mistakes are left out. */
export function readPolicy(
  name: string,
  input: Sound<PolicyInput>,
  { keys, tiers }: Names,
  path: Path,
  mistakes: MistakeList,
): PolicyRule {
  const key = input.key === undefined ? ['address'] : readKeyNames(input.key, [...path, 'key'], keys, mistakes);
  const tier = input.tier && readTier(input.tier, [...path, 'tier'], tiers, mistakes);
  const limits = readLimits(input.limits ?? [], [...path, 'limits'], keys, mistakes);
  const rollout = input.rollout && readRollout(input.rollout, [...path, 'rollout'], mistakes);
  checkTiered(input, tier, path, mistakes);
  const asksCustomers = tier?.from === 'customers';
  if (asksCustomers && !mistakes.isDamaged([...path, 'key'])) checkCustomerKey(key, keys, [...path, 'key'], mistakes);
  if (input.unknownCustomer !== undefined && !asksCustomers && !mistakes.isDamaged([...path, 'tier'])) {
    const rule = 'has no effect without tier: { from: customers }: add it, or remove this';
    mistakes.add([...path, 'unknownCustomer'], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  }
  if (input.enforce !== undefined && input.rollout !== undefined) {
    mistakes.add([...path, 'enforce'], 'must not be beside rollout, whose steps say it: remove one of the two', {
      at: 'key',
    });
  }
  return {
    name,
    match: readMatch(input.match, [...path, 'match'], mistakes),
    allowList: readAddresses(input.allowList ?? [], [...path, 'allowList'], mistakes),
    denyList: readAddresses(input.denyList ?? [], [...path, 'denyList'], mistakes),
    key,
    unknownCustomer: asksCustomers ? (input.unknownCustomer ?? 'address') : undefined,
    tier,
    limits,
    cost: input.cost === undefined ? ONE_UNIT : readCost(input.cost, [...path, 'cost'], mistakes),
    onStoreError: input.onStoreError ?? usualOnStoreError(limits.map(({ quotaUnit }) => quotaUnit)),
    enforce: input.enforce === undefined ? undefined : enforceOf(input.enforce),
    rollout: rollout ?? [],
    brake: input.brake && readBrake(input.brake, rollout, [...path, 'brake'], mistakes),
  };
}

function readMatch(match: Sound<PolicyInput>['match'], path: Path, mistakes: MistakeList): PolicyRule['match'] {
  if (match === undefined) return undefined;
  const { path: pattern, methods } = match;
  if (pattern === undefined && methods === undefined && !mistakes.isDamaged(path)) {
    mistakes.add(path, 'must have path, methods, or both', { at: 'missing' });
  }
  return {
    path: pattern === undefined ? undefined : [pattern].flat().filter((one) => one !== undefined),
    methods: methods?.filter((method) => method !== undefined),
  };
}

function readLimits(
  items: NonNullable<Sound<PolicyInput>['limits']>,
  path: Path,
  keys: ReadonlyMap<string, KeyRule>,
  mistakes: MistakeList,
): readonly LimitRule[] {
  const read: LimitRule[] = [];
  /** By the name under which something is counted: the limit that has it. */
  const counted = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const rule = item && readLimitItem(item, [...path, i], keys, mistakes);
    if (rule === undefined) continue;
    const first = countedNames(rule)
      .map((name) => counted.get(name))
      .find((place) => place !== undefined);
    if (first !== undefined) {
      const text = `is ${JSON.stringify(rule.name)}, as that of limits[${first}]: give one of the two another name`;
      mistakes.add([...path, i, 'name'], text, {
        at: item?.name === undefined ? 'missing' : 'value',
        code: 'SLUICE_POLICY_FILE',
      });
    }
    for (const name of countedNames(rule)) counted.set(name, i);
    read.push(rule);
  }
  return read;
}

/** The names under which a limit is counted. */
export function countedNames({ name, variants, guarantee }: LimitRule): readonly string[] {
  if (variants !== undefined) return variants.map((variant) => variantName(name, variant.name));
  return guarantee === undefined ? [name] : [name, `${name}:part`, `${name}:total`];
}

/** Returns the name under which a variant of a limit is counted: `minute:tight`. */
export function variantName(limit: string, variant: string): string {
  return `${limit}:${variant}`;
}

/** Limits with tiers need a tier, and a tier needs such limits. Customers can have other effects. */
function checkTiered(
  { limits = [], tier: input }: Sound<PolicyInput>,
  tier: TierRule | undefined,
  path: Path,
  mistakes: MistakeList,
): void {
  const first = limits.findIndex((item) => item?.tier === true);
  if (first >= 0 && input === undefined && !mistakes.has([...path, 'tier'])) {
    const rule = 'needs the tier of a request: add tier: { from: customers, default: free } to the policy';
    mistakes.add([...path, 'limits', first, 'tier'], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  }
  if (tier === undefined || mistakes.isDamaged([...path, 'tier'])) return;
  if (first >= 0 && tier.default === undefined) {
    mistakes.add([...path, 'tier', 'default'], 'is missing: say which tier everybody else has', { at: 'missing' });
  }
  if (first < 0 && tier.from !== 'customers' && !mistakes.isDamaged([...path, 'limits'])) {
    const rule = 'has no effect, because no limit of the policy has tier: true: add it to a limit, or remove this';
    mistakes.add([...path, 'tier'], rule, { at: 'key', code: 'SLUICE_POLICY_FILE' });
  }
}
