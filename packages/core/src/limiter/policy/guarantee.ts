import { definitionOf, isAlgorithm } from '../../algorithms/definitions.js';
import { optionError } from '../../values/error.js';
import { whenReady } from '../../values/eventual.js';
import { getOrCreate } from '../../values/get-or-create.js';
import type { Limit } from '../../values/limit.js';
import { at, checkFraction, checkOptions, checkWhole } from '../../values/option-checks.js';
import { type KeyGenerators, keyGeneratorsOf } from './key-generators.js';
import type { Args, GuaranteeItemOptions, Resolvable, Resolver } from './options.js';

/** The checked guarantee of an item. */
export interface ItemGuarantee<A extends Args> extends KeyGenerators<A> {
  /** The limit of the item, in the form that its parts are counted in. */
  readonly whole: Limit;
  /** The names under which the part of a tenant and all parts together are counted. */
  readonly partName: string;
  readonly totalName: string;
  /** Returns the part of the request's tenant. */
  readonly part: Resolver<A, Limit>;
  /** The part of a request without a tenant: nothing. */
  readonly nothing: Limit;
  /** All parts together. */
  readonly total: Limit;
  readonly lend: number;
}

/** Returns the names under which the limit of an item is counted. */
export function countedNames<A extends Args>(item: {
  readonly name: string;
  readonly guarantee: ItemGuarantee<A> | undefined;
}): readonly string[] {
  const { name, guarantee } = item;
  return guarantee ? [name, guarantee.partName, guarantee.totalName] : [name];
}

/** More than any price list has, and still little memory. */
const MOST_PARTS = 4096;

/**
 * Checks the guarantee of an item; undefined if it has none.
 *
 * @param own - what the item is, with the options that it inherits
 * @throws SluiceError `SLUICE_OPTION`
 */
export function guaranteeOf<A extends Args>(
  { guarantee, lend }: GuaranteeItemOptions<A>,
  own: { limit: Resolvable<A, Limit>; name: string; hasMargins: boolean; hasKey: boolean },
  path: string,
): ItemGuarantee<A> | undefined {
  const where = at(path, 'guarantee');
  if (guarantee === undefined) {
    if (lend !== undefined) throw optionError(at(path, 'lend'), 'needs the option guarantee', lend);
    return undefined;
  }
  checkOptions(guarantee, ['limit', 'keyGenerator', 'total'], where);
  const whole = divisible(own.limit, where, guarantee);
  if (own.hasMargins) {
    throw optionError(
      where,
      'cannot stand beside tolerance, elastic or headroom: lend says how far the limit may be exceeded',
      guarantee,
    );
  }
  if (!own.hasKey) {
    const rule = 'must be there beside guarantee: it says who shares the limit, for example everyone()';
    throw optionError(at(path, 'keyGenerator'), rule, undefined);
  }
  const total = checkWhole(guarantee.total, at(where, 'total'), 0, whole.quota);
  return Object.freeze({
    ...keyGeneratorsOf(guarantee.keyGenerator, at(where, 'keyGenerator')),
    whole,
    partName: `${own.name}:part`,
    totalName: `${own.name}:total`,
    part: partsOf<A>(guarantee.limit, whole, total, at(where, 'limit')),
    nothing: partOf(whole, 0, where),
    total: partOf(whole, total, at(where, 'total')),
    lend: checkFraction(lend ?? 0, at(path, 'lend')),
  });
}

/** Returns a limit in the form that its parts are counted in. */
function divisible<A extends Args>(limit: Resolvable<A, Limit>, path: string, received: unknown): Limit {
  if (typeof limit === 'function') {
    throw optionError(path, 'needs a limit that is no function, because total must be at most the limit', received);
  }
  const rule = isAlgorithm(limit.algorithm) ? definitionOf(limit).guarantee : undefined;
  const whole = rule?.partOf(limit, limit.quota);
  if (whole === undefined) {
    const suggestion =
      "needs a limit whose parts come back when the limit does: slidingWindow, slidingWindowLog, concurrency, fixedWindow with align: 'clock' or a calendar window, or tokenBucket with a rate and without refillInterval";
    throw optionError(path, suggestion, limit);
  }
  for (const [option, value] of [
    ['countRejected', limit.countRejected],
    ['blockDuration', limit.blockMs],
  ] as const) {
    if (value === undefined) continue;
    throw optionError(
      path,
      `cannot stand beside ${option}: the refusals of one tenant would concern all others`,
      value,
    );
  }
  return Object.freeze(whole);
}

/** Returns a function that finds the part of a tenant. Each part is made once, so that a request needs no checks. */
function partsOf<A extends Args>(
  limit: Resolvable<A, number>,
  whole: Limit,
  total: number,
  path: string,
): Resolver<A, Limit> {
  const made = new Map<number, Limit>();
  const partFor = (quota: number, where: string): Limit => {
    if (made.size >= MOST_PARTS && !made.has(quota)) made.clear();
    return getOrCreate(made, quota, () => partOf(whole, checkWhole(quota, where, 0, total), where));
  };
  if (typeof limit !== 'function') {
    const part = partFor(limit, path);
    return () => part;
  }
  const resolve: Resolver<A, number> = limit;
  return (...args) => whenReady(resolve(...args), (quota) => partFor(quota, `${path}()`)) as Limit | Promise<Limit>;
}

/** Returns a part of a limit. It has no name of its own. */
function partOf(whole: Limit, quota: number, path: string): Limit {
  const { name: _, ...unnamed } = whole;
  const part = definitionOf(whole).guarantee?.partOf(unnamed, quota);
  if (part !== undefined) return Object.freeze(part);
  throw optionError(path, 'must be a part of the limit whose rate can be counted exactly', quota);
}
