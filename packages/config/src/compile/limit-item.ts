import { everyone, type Key, type LimitItem, unlimited } from '@sluice/core';
import type { GuaranteeRule, LimitRule, PolicyFile } from '../file/policy-file.js';
import { variantName } from '../file/read-policy.js';
import { type Cost, costOf } from './cost.js';
import { type LimitChoice, limitOf } from './limit-choice.js';
import { type KeyReader, keyOfVariants, variantLimit } from './variants.js';

/** A limit of a compiled policy. */
export type CompiledLimit<Req extends object, Async extends boolean> = LimitItem<[request: Req], Async>;

/** What all limits of a policy are made with. */
interface ItemContext<Req extends object> extends LimitChoice<Req> {
  readonly file: PolicyFile;
  /** The readers of keys, by name. */
  readonly keyOf: ReadonlyMap<string, KeyReader<Req>>;
  /** Returns how far a limit is enforced. */
  enforceOf(rule: LimitRule): number | 'mark' | (() => number);
  /** Reads the cost of a limit from a request; undefined if the code has no function for it. */
  costBy(rule: LimitRule): ((request: Req) => number | undefined) | undefined;
}

/** Returns the names under which the core counts a limit of the file. */
export function itemNames({ name, variants }: LimitRule): readonly string[] {
  return variants ? variants.map((variant) => variantName(name, variant.name)) : [name];
}

/** Returns the items of a limit that asks no store, for `enforcement: off`. */
export function uncountedItems<Req extends object, Async extends boolean>(
  rule: LimitRule,
): CompiledLimit<Req, Async>[] {
  return itemNames(rule).map((name) => ({ name, limit: unlimited(), keyGenerator: everyone() }));
}

/** Compiles a limit: to one item, or to one for each of its variants. */
export function limitItems<Req extends object, Async extends boolean>(
  rule: LimitRule,
  context: ItemContext<Req>,
): CompiledLimit<Req, Async>[] {
  const { file, policy, keyOf } = context;
  const parts = readersOf(rule.key ?? policy.key, keyOf);
  const { variants } = rule;
  if (!variants) {
    return [{ name: rule.name, limit: limitOf(file, rule, context), ...ownOptions(rule, parts, context) }];
  }
  const position = keyOfVariants(policy.name, rule.name, parts);
  return variants.map((variant, i) => ({
    name: variantName(rule.name, variant.name),
    limit: variantLimit(variants, i, position),
    ...ownOptions(rule, parts, context),
  }));
}

/** The options of a limit besides its numbers. What the file leaves out is absent, so that the core's defaults hold. */
function ownOptions<Req extends object>(rule: LimitRule, parts: readonly KeyReader<Req>[], context: ItemContext<Req>) {
  const { quotaUnit, tolerance, slowDown, guarantee } = rule;
  return {
    keyGenerator: compound(parts),
    enforce: context.enforceOf(rule),
    ...(rule.cost && { cost: costOf(rule.cost, context.costBy(rule)) as Cost<Req> }),
    ...(quotaUnit !== undefined && { quotaUnit }),
    ...(tolerance !== undefined && { tolerance }),
    ...(slowDown && { slowDown }),
    ...(guarantee && guaranteeOptions(guarantee, context.keyOf)),
  };
}

function guaranteeOptions<Req extends object>(
  { limit, total, key, lend }: GuaranteeRule,
  keyOf: ReadonlyMap<string, KeyReader<Req>>,
) {
  return { guarantee: { limit, total, keyGenerator: compound(readersOf(key, keyOf)) }, lend };
}

function readersOf<Req extends object>(
  names: readonly string[],
  keyOf: ReadonlyMap<string, KeyReader<Req>>,
): readonly KeyReader<Req>[] {
  return names.map((name) => keyOf.get(name) as KeyReader<Req>);
}

/** One key is not a compound one, so that `reset(headerKey(…))` finds it. */
function compound<Req extends object>(parts: readonly KeyReader<Req>[]): KeyReader<Req> | readonly KeyReader<Req>[] {
  const [only] = parts;
  return only && parts.length === 1 ? only : parts;
}

/** Lets a function run once for each request, before its first key is read. */
export function before<Req extends object, Async extends boolean>(
  run: (request: Req) => void,
  [first, ...others]: readonly CompiledLimit<Req, Async>[],
): readonly CompiledLimit<Req, Async>[] {
  if (!first) return [];
  const [read, ...rest] = [first.keyGenerator].flat() as [KeyReader<Req>, ...KeyReader<Req>[]];
  const checked = (request: Req): Key | undefined => {
    run(request);
    return read(request);
  };
  return [{ ...first, keyGenerator: compound([checked, ...rest]) }, ...others];
}
