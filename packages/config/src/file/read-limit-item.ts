import { type Limit, type LimitItem, unlimited } from '@sluice/core';
import { checkPolicy } from '@sluice/core/http';
import { enforceOf, lengthMs, shareOf } from './amounts.js';
import { checkedByCore } from './core-check.js';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import type { GuaranteeRule, KeyRule, LimitRule, SlowDownRule, Variant } from './policy-file.js';
import { readCost } from './read-cost.js';
import { readKeyNames } from './read-keys.js';
import { limitWordsOf, readLimit } from './read-limit.js';
import type { LimitItemInput } from './schema.js';
import type { Sound } from './structure.js';

type Input = Sound<LimitItemInput>;

/** Reads one limit of a policy. Undefined, with the mistakes, if it is none. */
export function readLimitItem(
  input: Input,
  path: Path,
  keys: ReadonlyMap<string, KeyRule>,
  mistakes: MistakeList,
): LimitRule | undefined {
  const amount = readAmount(input, path, mistakes);
  const own: Omit<LimitRule, 'name'> = {
    limit: amount?.limit,
    tiered: input.tier === true,
    variants: amount?.variants,
    key: input.key === undefined ? undefined : readKeyNames(input.key, [...path, 'key'], keys, mistakes),
    cost: input.cost === undefined ? undefined : readCost(input.cost, [...path, 'cost'], mistakes),
    enforce: input.enforce === undefined ? undefined : enforceOf(input.enforce),
    quotaUnit: input.quotaUnit,
    tolerance: input.tolerance === undefined ? undefined : shareOf(input.tolerance),
    slowDown: input.slowDown === undefined ? undefined : readSlowDown(input.slowDown, [...path, 'slowDown'], mistakes),
    guarantee:
      input.guarantee === undefined
        ? undefined
        : readGuarantee(input.guarantee, [...path, 'guarantee'], keys, mistakes),
  };
  if (own.guarantee !== undefined && amount !== undefined && amount.limit === undefined) {
    const rule = 'needs a limit that is the same for all: write its numbers here, instead of tier or variants';
    mistakes.add([...path, 'guarantee'], rule, { at: 'key' });
  }
  // A function chooses between tiers and between variants. Some options need a limit that is none.
  const chosen = amount?.limit === undefined ? [unlimited] : [];
  const limits = [...(amount?.variants?.map(({ limit }) => limit) ?? []), ...chosen, amount?.limit].filter(
    (limit) => limit !== undefined,
  );
  if (amount === undefined || mistakes.isDamaged(path)) return undefined;
  const [name] = limits.map((limit) => checkItem(limit, input.name, own, path, mistakes));
  return name === undefined ? undefined : { name, ...own };
}

/** What says the numbers of a limit: itself, its tiers, or its variants. */
type Amount = Pick<LimitRule, 'limit' | 'variants'>;

function readAmount(input: Input, path: Path, mistakes: MistakeList): Amount | undefined {
  const words = limitWordsOf(input);
  const { tier, variants, name } = input;
  const [given, extra] = [
    tier && 'tier',
    variants && 'variants',
    words && (Object.keys(words).find((word) => word !== 'algorithm') ?? 'algorithm'),
  ].filter((word) => word !== undefined);
  if (extra !== undefined) {
    mistakes.add(
      [...path, extra],
      `must not be beside ${given}, which says the numbers already: remove one of the two`,
      {
        at: 'key',
      },
    );
    return undefined;
  }
  if (given === undefined && !mistakes.isDamaged(path)) {
    mistakes.add(path, 'must have limit and window, the words of another algorithm, tier: true, or variants', {
      at: 'missing',
    });
  }
  if (words !== undefined) {
    const limit = readLimit(words, path, mistakes);
    return limit && { limit, variants: undefined };
  }
  if (given !== undefined && name === undefined) {
    mistakes.add([...path, 'name'], `is missing: a limit with ${given} needs a name`, { at: 'missing' });
  }
  if (tier) return { limit: undefined, variants: undefined };
  const read = variants && readVariants(variants, [...path, 'variants'], mistakes);
  return read && { limit: undefined, variants: read };
}

function readVariants(
  variants: NonNullable<Input['variants']>,
  path: Path,
  mistakes: MistakeList,
): LimitRule['variants'] | undefined {
  const read: Variant[] = [];
  for (const [name, input] of Object.entries(variants)) {
    if (input === undefined) continue;
    const limit = readLimit(input, [...path, name], mistakes);
    if (limit !== undefined && input.share !== undefined) read.push({ name, share: shareOf(input.share), limit });
  }
  if (mistakes.isDamaged(path)) return undefined;
  const sum = read.reduce((all, { share }) => all + share, 0);
  const [first, second, ...others] = read;
  if (first === undefined || second === undefined) {
    mistakes.add(path, 'must have at least two variants', { at: 'key' });
    return undefined;
  }
  if (Math.abs(sum - 1) > 1e-9) {
    const percent = Number((100 * sum).toPrecision(6));
    mistakes.add(path, `must have shares that add up to 100%, and they add up to ${percent}%`, { at: 'key' });
  }
  return [first, second, ...others];
}

function readSlowDown(
  { after, by, upTo, waiting }: NonNullable<Input['slowDown']>,
  path: Path,
  mistakes: MistakeList,
): SlowDownRule | undefined {
  const byMs = by === undefined ? undefined : lengthMs(by, [...path, 'by'], mistakes);
  const upToMs = upTo === undefined ? undefined : lengthMs(upTo, [...path, 'upTo'], mistakes);
  if (after === undefined || byMs === undefined || upToMs === undefined) return undefined;
  return { after, by: byMs, upTo: upToMs, ...(waiting !== undefined && { waiting }) };
}

function readGuarantee(
  { limit, key, total, lend }: NonNullable<Input['guarantee']>,
  path: Path,
  keys: ReadonlyMap<string, KeyRule>,
  mistakes: MistakeList,
): GuaranteeRule | undefined {
  const names = key === undefined ? undefined : readKeyNames(key, [...path, 'key'], keys, mistakes);
  if (limit === undefined || names === undefined || total === undefined) return undefined;
  return { limit, key: names, total, lend: lend === undefined ? 0 : shareOf(lend) };
}

/** Lets the core check a limit with its options. Returns its name, which the core makes if the file says none. */
function checkItem(
  limit: Limit | (() => Limit),
  name: string | undefined,
  { cost, quotaUnit, tolerance, slowDown, guarantee }: Omit<LimitRule, 'name'>,
  path: Path,
  mistakes: MistakeList,
): string | undefined {
  const key = () => undefined;
  const item: LimitItem<[]> = {
    limit,
    keyGenerator: key,
    ...(name !== undefined && { name }),
    ...(cost !== undefined && { cost: 1 }),
    ...(quotaUnit !== undefined && { quotaUnit }),
    ...(tolerance !== undefined && { tolerance }),
    ...(slowDown !== undefined && { slowDown }),
    ...(guarantee !== undefined && {
      guarantee: { limit: guarantee.limit, total: guarantee.total, keyGenerator: key },
      lend: guarantee.lend,
    }),
  };
  const outline = checkedByCore(
    () => checkPolicy({ limits: [item] }),
    path,
    mistakes,
    (inner) => inner.slice(2),
  );
  return outline?.limits[0]?.name;
}
