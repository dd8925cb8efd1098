import { ALGORITHMS } from '../../algorithms/definitions.js';
import type { PolicyOutline } from '../../stores/store.js';
import { type Duration, durationMs } from '../../values/duration.js';
import { optionError, SluiceError } from '../../values/error.js';
import { isLimit, type Limit, usesSlots } from '../../values/limit.js';
import {
  at,
  checkFunction,
  checkName,
  checkOneOf,
  checkOptions,
  checkWhole,
  isFraction,
} from '../../values/option-checks.js';
import type { Instead } from '../../values/option-suggestions.js';
import type { Priority } from '../../values/priority.js';
import { usualOnStoreError } from '../../values/quota-unit.js';
import { countedNames, guaranteeOf, type ItemGuarantee } from './guarantee.js';
import { keyGeneratorsOf } from './key-generators.js';
import { defaultName, limitOf } from './limit.js';
import { checkElastic, type MarginOptions, type Margins, marginsOf } from './margin.js';
import {
  type Args,
  type Enforce,
  KEY_VIEW,
  type KeyGenerator,
  type KeyView,
  type LimitItem,
  type PolicyOptions,
  type Resolvable,
  type Resolver,
} from './options.js';
import { type SlowDown, type SlowDownOptions, slowDownOf } from './slow-down.js';

/** A checked limit item, with inherited options and all defaults. */
export interface Item<A extends Args> {
  readonly name: string;
  /** The limit, or the function that chooses it. */
  readonly limit: Resolvable<A, Limit>;
  /** The algorithm of the limit; undefined if a function may choose any. */
  readonly algorithm: Limit['algorithm'] | undefined;
  readonly cost: Resolvable<A, number>;
  /** Whether the item has its own cost: `settle(number)` and the `cost` of a call do not change it. */
  readonly ownsCost: boolean;
  /** What one unit is; undefined for requests, and for a concurrency limit. */
  readonly quotaUnit: string | undefined;
  readonly enforce: Enforce | (() => Enforce);
  /** Absent: the default key of the limiter or adapter. Several make a compound key. */
  readonly keyGenerators: readonly KeyGenerator<A>[] | undefined;
  readonly isCompoundKey: boolean;
  /** Returns the last part of the key; undefined if the key has none. */
  readonly partition: KeyGenerator<A> | undefined;
  /** How far its requests may exceed the limit, or what they leave free; undefined if they do neither. */
  readonly margins: Margins | undefined;
  /** How it delays what it admits; undefined if it does not. */
  readonly slowDown: SlowDown | undefined;
  /** What it guarantees to tenants; undefined if it guarantees nothing. */
  readonly guarantee: ItemGuarantee<A> | undefined;
  /** What it knows of keys without a request; undefined if its limit and its cost say all. */
  readonly keyView: KeyView | undefined;
}

/** A checked policy. It does not say where it is counted. */
export interface Policy<A extends Args> {
  readonly name: string;
  readonly items: readonly Item<A>[];
  readonly skip: Resolver<A, boolean> | undefined;
  readonly priority: Resolver<A, Priority> | undefined;
  /** Who decides in place of a failed store. */
  readonly onStoreError: 'local' | 'allow' | 'deny';
  /** How long it waits for a store over a network; undefined if the store says it. */
  readonly timeoutMs: number | undefined;
}

const ITEM_OPTIONS = [
  'name',
  'limit',
  'window',
  'cost',
  'quotaUnit',
  'enforce',
  'keyGenerator',
  'partition',
  'slowDown',
  'tolerance',
  'elastic',
  'headroom',
  'guarantee',
  'lend',
] as const;

/** The policy options of the core. An adapter adds its own. */
export const POLICY_OPTIONS = [
  ...ITEM_OPTIONS,
  'limits',
  'skip',
  'priority',
  'onStoreError',
  'timeout',
  'store',
] as const;

/**
 * Checks the options of a policy and returns the policy.
 *
 * @param instead - what to write instead of options of other libraries, where an adapter has more options
 * @throws SluiceError `SLUICE_OPTION` or `SLUICE_DUPLICATE_NAME`, with the path of the wrong option
 */
export function policyOf<A extends Args>(
  options: PolicyOptions<A>,
  known: readonly string[] = POLICY_OPTIONS,
  instead: readonly Instead[] = [],
): Policy<A> {
  checkOptions(options, known, '', { instead });
  if (options.skip !== undefined) checkFunction(options.skip, 'skip');
  if (options.priority !== undefined) checkFunction(options.priority, 'priority');
  const name = options.name === undefined ? 'default' : checkName(options.name, 'name');
  const items = itemsOf(options);
  return { name, items, skip: options.skip, priority: options.priority, ...failureOf(options, items) };
}

/** Returns what happens if the store fails, and when it has failed: as stated, or by what the limits count. */
function failureOf<A extends Args>(
  options: PolicyOptions<A>,
  items: readonly Item<A>[],
): Pick<Policy<A>, 'onStoreError' | 'timeoutMs'> {
  const usual = usualOnStoreError(items.map(({ quotaUnit }) => quotaUnit));
  const onStoreError = checkOneOf(options.onStoreError ?? usual, 'onStoreError', ['local', 'allow', 'deny'] as const);
  if (options.timeout !== undefined) return { onStoreError, timeoutMs: checkTimeout(options.timeout) };
  return { onStoreError, timeoutMs: usual === 'deny' ? TIMEOUT_OF_MONEY_MS : undefined };
}

/**
 * How long a policy of money waits for its store. Nobody else may decide in the store's place, so a short wait would refuse
 * requests for nothing.
 */
const TIMEOUT_OF_MONEY_MS = 500;

/** Nobody waits longer for a decision. */
const LONGEST_TIMEOUT_MS = 60_000;

function checkTimeout(timeout: Duration): number {
  const ms = durationMs(timeout, 'timeout');
  if (ms <= LONGEST_TIMEOUT_MS) return ms;
  throw optionError('timeout', "must be at most '1m': requests wait for it", timeout);
}

/** Returns what is known of a policy before the first request, for a store to check. */
export function outlineOf<A extends Args>({ name, items }: Policy<A>): PolicyOutline {
  const limits = items.map(({ name, limit, algorithm, cost, margins, guarantee, keyGenerators, partition }) => ({
    name,
    limit: typeof limit === 'function' ? undefined : limit,
    algorithm,
    cost: typeof cost === 'function' ? undefined : cost,
    usesMargin: margins !== undefined,
    usesGuarantee: guarantee !== undefined,
    keyGenerators,
    partition,
  }));
  return { name, limits };
}

function itemsOf<A extends Args>(options: PolicyOptions<A>): readonly Item<A>[] {
  const shared = ownOf(options, '');
  if (options.limits !== undefined) return listedItems(options, options.limits, shared);
  const { limit } = options as LimitItem<A>;
  // The single name at the top level is the policy's. A name in the Limit itself comes first.
  return [itemOf(options as LimitItem<A>, shared, '', (isLimit(limit) ? limit.name : undefined) ?? options.name)];
}

function listedItems<A extends Args>(
  options: PolicyOptions<A>,
  limits: readonly (Limit | LimitItem<A>)[],
  shared: OwnOptions<A>,
): readonly Item<A>[] {
  for (const option of ['limit', 'window', 'guarantee', 'lend'] as const) {
    if (options[option] === undefined) continue;
    throw optionError(option, 'must not be beside limits: put it into one of them', options[option]);
  }
  if (!Array.isArray(limits) || limits.length === 0) {
    throw optionError('limits', 'must be a list of at least one limit', limits);
  }
  const items = limits.map((entry: Limit | LimitItem<A>, i: number) => listedItem(entry, shared, `limits[${i}]`));
  refuseEqualNames(items);
  return items;
}

function listedItem<A extends Args>(entry: Limit | LimitItem<A>, shared: OwnOptions<A>, path: string): Item<A> {
  if (isLimit(entry)) {
    refuseItemOptions(entry, path);
    return itemOf({ limit: entry }, shared, path, undefined);
  }
  checkOptions(entry, ITEM_OPTIONS, path);
  return itemOf(entry, { ...shared, ...ownOf(entry, path) }, path, entry.name);
}

/** Refuses a Limit that was spread into an item, because only the Limit would be read. */
function refuseItemOptions(limit: Limit, path: string): void {
  for (const [option, value] of Object.entries(limit)) {
    if (option === 'name' || value === undefined || !ITEM_OPTIONS.some((own) => own === option)) continue;
    throw optionError(at(path, option), 'must not be inside a Limit: write { limit: theLimit, ... }', value);
  }
}

/** The options of the item itself. An absent option must be absent here, too, so that the policy's applies. */
type OwnOptions<A extends Args> = Partial<
  Omit<Item<A>, 'name' | 'limit' | 'margins' | 'slowDown' | 'guarantee' | 'keyView'>
> &
  MarginOptions & { slowDown?: SlowDownOptions };

function ownOf<A extends Args>(entry: PolicyOptions<A> | LimitItem<A>, path: string): OwnOptions<A> {
  const { cost, quotaUnit, enforce, keyGenerator, partition, slowDown, tolerance, elastic, headroom } = entry;
  return {
    ...(cost !== undefined && { cost: checkCost(cost, at(path, 'cost')), ownsCost: path !== '' }),
    ...(quotaUnit !== undefined && { quotaUnit: checkName(quotaUnit, at(path, 'quotaUnit')) }),
    ...(enforce !== undefined && { enforce: checkEnforce(enforce, at(path, 'enforce')) }),
    ...(keyGenerator !== undefined && keyGeneratorsOf(keyGenerator, at(path, 'keyGenerator'))),
    ...(partition !== undefined && { partition: checkPartition(partition, at(path, 'partition')) }),
    ...(slowDown !== undefined && { slowDown }),
    ...(tolerance !== undefined && { tolerance }),
    ...(elastic !== undefined && { elastic }),
    ...(headroom !== undefined && { headroom }),
  };
}

function itemOf<A extends Args>(
  entry: LimitItem<A>,
  own: OwnOptions<A>,
  path: string,
  name: string | undefined,
): Item<A> {
  const limit = limitOf(entry, path);
  if (name !== undefined) checkName(name, at(path, 'name'));
  const ownUnit = isLimit(limit) ? ALGORITHMS[limit.algorithm]?.quotaUnit : undefined;
  if (isLimit(limit) && usesSlots(limit) && entry.cost !== undefined) {
    throw optionError(at(path, 'cost'), 'does not apply to a concurrency limit: a request takes one slot', entry.cost);
  }
  checkUnit(ownUnit, entry.quotaUnit, own.quotaUnit, at(path, 'quotaUnit'));
  const margins = marginsOf(own, path);
  if (margins?.elastic) checkElastic(margins.elastic, limit, at(path, 'elastic'));
  const ownName = name ?? (isLimit(limit) ? limit.name : undefined) ?? defaultName(limit, entry.window);
  const isShared = own.keyGenerators !== undefined;
  const guarantee = guaranteeOf<A>(
    entry,
    { limit, name: ownName, hasMargins: margins !== undefined, hasKey: isShared },
    path,
  );
  const saysNoUnit = own.quotaUnit === 'requests' || ownUnit !== undefined;
  return Object.freeze({
    name: ownName,
    limit: guarantee?.whole ?? limit,
    algorithm: isLimit(limit) ? limit.algorithm : algorithmOfNumber(entry),
    cost: own.cost ?? 1,
    ownsCost: own.ownsCost ?? false,
    quotaUnit: saysNoUnit ? undefined : own.quotaUnit,
    enforce: own.enforce ?? 1,
    keyGenerators: own.keyGenerators,
    isCompoundKey: own.isCompoundKey ?? false,
    partition: own.partition,
    margins,
    slowDown: slowDownOf(own.slowDown, limit, at(path, 'slowDown')),
    guarantee,
    keyView: entry[KEY_VIEW],
  });
}

/** A number with a window is for the default algorithm, even if a function returns it. Any other function returns a whole limit. */
function algorithmOfNumber<A extends Args>({ window }: LimitItem<A>): Item<A>['algorithm'] {
  return window === undefined ? undefined : 'sliding-window';
}

/** The unit of every concurrency limit, and of no other limit. */
const OF_CONCURRENCY = ALGORITHMS.concurrency.quotaUnit;

/**
 * @param ownUnit - the unit of all limits of this algorithm, if they have one
 * @param said - the unit in the item itself; `quotaUnit` may come from the policy
 */
function checkUnit(
  ownUnit: string | undefined,
  said: string | undefined,
  quotaUnit: string | undefined,
  path: string,
): void {
  if (ownUnit !== undefined && said !== undefined && said !== ownUnit)
    throw optionError(path, `does not apply to a concurrency limit, whose unit is ${ownUnit}`, said);
  if (ownUnit === undefined && quotaUnit !== undefined && quotaUnit === OF_CONCURRENCY)
    throw optionError(path, 'must be left to concurrency({ limit, lease }), which always has this unit', quotaUnit);
}

function checkCost<A extends Args>(cost: Resolvable<A, number>, path: string): Resolvable<A, number> {
  return typeof cost === 'function' ? cost : checkWhole(cost, path);
}

function checkPartition<A extends Args>(partition: KeyGenerator<A>, path: string): KeyGenerator<A> {
  checkFunction(partition, path);
  return partition;
}

function checkEnforce(enforce: Enforce | (() => Enforce), path: string): Enforce | (() => Enforce) {
  const check = (value: unknown, where: string): Enforce => {
    if (value === 'mark' || isFraction(value)) return value;
    throw optionError(where, "must be a number from 0 to 1, or 'mark'", value);
  };
  return typeof enforce === 'function' ? () => check(enforce(), `${path}()`) : check(enforce, path);
}

function refuseEqualNames<A extends Args>(items: readonly Item<A>[]): void {
  items.forEach((item, i) => {
    const { name } = item;
    const names = countedNames(item);
    const first = items.findIndex((other) => countedNames(other).some((one) => names.includes(one)));
    if (first === i) return;
    throw new SluiceError(
      'SLUICE_DUPLICATE_NAME',
      `limits[${i}] and limits[${first}] are both named ${JSON.stringify(name)}: give one of them another name`,
      { path: `limits[${i}].name`, received: name },
    );
  });
}
