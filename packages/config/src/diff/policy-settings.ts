import type { CostRule, KeyRule, LimitRule, PolicyRule, TierRule } from '../file/policy-file.js';
import { dateWords, shareWords } from '../words/words.js';
import { limitSettings } from './limit-settings.js';
import { duration, list, number, type Setting, type Settings, share, text } from './settings.js';

/** Returns the values of a key, by their names in the file. */
export function keySettings(rule: KeyRule): Settings {
  switch (rule.from) {
    case 'header':
      return { header: text(rule.header.toLowerCase()) };
    case 'ip':
      return { 'ip.ipv6Subnet': number(rule.ipv6Subnet) };
    default:
      return { from: text(rule.from) };
  }
}

/** Returns the values of a policy without its limits. */
export function policySettings(rule: PolicyRule): Settings {
  const { match, allowList, denyList, key, unknownCustomer, tier, cost, onStoreError, enforce, rollout, brake } = rule;
  return {
    'match.path': match?.path && list([match.path].flat()),
    'match.methods': match?.methods && list(match.methods),
    allowList: allowList.length === 0 ? undefined : list(allowList),
    denyList: denyList.length === 0 ? undefined : list(denyList),
    key: list(key),
    unknownCustomer: unknownCustomer && text(unknownCustomer),
    ...(tier && tierSettings(tier)),
    ...costSettings(cost),
    onStoreError: text(onStoreError),
    enforce: enforcement(enforce),
    rollout: rollout.length === 0 ? undefined : list(rollout.map(stepWords)),
    'brake.refused': brake && share(brake.refused),
    'brake.over': brake && duration(brake.overMs),
  };
}

const stepWords = ({ fromMs, enforce }: PolicyRule['rollout'][number]): string =>
  `${shareWords(enforce)} from ${dateWords(fromMs)}`;

const enforcement = (enforce: number | 'mark' | undefined): Setting | undefined =>
  typeof enforce === 'number' ? share(enforce) : enforce && text(enforce);

function tierSettings(tier: TierRule): Settings {
  return {
    'tier.from': text(tier.from),
    'tier.default': tier.default === undefined ? undefined : text(tier.default),
    ...(tier.from === 'header' && { 'tier.header': text(tier.header), 'tier.trustedFrom': list(tier.trustedFrom) }),
  };
}

function costSettings(cost: CostRule): Settings {
  if (cost.from === 'constant') return { cost: number(cost.units) };
  return {
    'cost.from': text(cost.from),
    'cost.min': number(cost.min),
    'cost.default': number(cost.default),
    'cost.max': number(cost.max),
    ...(cost.from === 'header' && { 'cost.header': text(cost.header), 'cost.trustedFrom': list(cost.trustedFrom) }),
  };
}

/** Returns the values of a limit of a policy, without those of the limit itself. */
export function limitRuleSettings(rule: LimitRule): Settings {
  const { tiered, variants = [], key, cost, enforce, quotaUnit, tolerance, slowDown, guarantee } = rule;
  return {
    tier: tiered ? text('true') : undefined,
    ...Object.assign(
      {},
      ...variants.map(({ name, share: part, limit: one }) =>
        within(`variants.${name}`, { share: share(part), ...limitSettings(one) }),
      ),
    ),
    key: key && list(key),
    ...(cost && costSettings(cost)),
    enforce: enforcement(enforce),
    quotaUnit: quotaUnit === undefined ? undefined : text(quotaUnit),
    tolerance: tolerance === undefined ? undefined : share(tolerance),
    'slowDown.after': slowDown && number(slowDown.after),
    'slowDown.by': slowDown && duration(slowDown.by),
    'slowDown.upTo': slowDown && duration(slowDown.upTo),
    'slowDown.waiting': slowDown?.waiting === undefined ? undefined : number(slowDown.waiting),
    'guarantee.limit': guarantee && number(guarantee.limit),
    'guarantee.key': guarantee && list(guarantee.key),
    'guarantee.total': guarantee && number(guarantee.total),
    'guarantee.lend': guarantee && share(guarantee.lend),
  };
}

const within = (path: string, settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [`${path}.${name}`, setting]));
