import { ALGORITHMS } from '../algorithms/index.js';
import { slidingWindow } from '../algorithms/sliding-window.js';
import { type Duration, durationMs, durationText } from '../duration.js';
import { optionError, SluiceError } from '../error.js';
import { checkExact, isLimit, type Limit } from '../limit.js';
import { at, checkFunction, checkName, checkOneOf, checkOptions, checkWhole } from '../option-checks.js';
import { whenReady } from './answer.js';
import type { KeyGenerator, LimitItem, PolicyOptions, Resolvable, Resolver } from './policy-options.js';

type Args = readonly unknown[];

/** A limit item, checked, with what it inherits and nothing left to default. */
export interface Item<A extends Args> {
  readonly name: string;
  /** The limit itself, or the function that chooses it. */
  readonly limit: Resolvable<A, Limit>;
  readonly cost: Resolvable<A, number>;
  /** Its cost is its own: `settle(number)` and a verb's `cost` leave it alone. */
  readonly ownsCost: boolean;
  readonly enforce: number | (() => number);
  /** Absent: the default key of whoever made the policy. Several make a compound key. */
  readonly keyGenerators: readonly KeyGenerator<A>[] | undefined;
  readonly isCompoundKey: boolean;
}

/** A policy, checked: what is asked for, with nothing about where it is counted. */
export interface Policy<A extends Args> {
  readonly name: string;
  readonly items: readonly Item<A>[];
  readonly skip: Resolver<A, boolean> | undefined;
  readonly onStoreError: 'local' | 'allow' | 'deny';
}

const ITEM_OPTIONS = ['name', 'limit', 'window', 'cost', 'enforce', 'keyGenerator'] as const;

/** The options of a policy in the core; an adapter has these and its own. */
export const POLICY_OPTIONS = [...ITEM_OPTIONS, 'limits', 'skip', 'onStoreError', 'store'] as const;

const DEFAULT_NAMES = {
  'token-bucket': 'bucket',
  'leaky-bucket': 'queue',
  concurrency: 'concurrency',
  unlimited: 'unlimited',
};

/** Checks a policy's options and says what they mean; throws `SLUICE_OPTION` or `SLUICE_DUPLICATE_NAME` with the path at fault. */
export function policyOf<A extends Args>(
  options: PolicyOptions<A>,
  known: readonly string[] = POLICY_OPTIONS,
): Policy<A> {
  checkOptions(options, known);
  if (options.skip !== undefined) checkFunction(options.skip, 'skip');
  const onStoreError = checkOneOf(options.onStoreError ?? 'local', 'onStoreError', ['local', 'allow', 'deny'] as const);
  const name = options.name === undefined ? 'default' : checkName(options.name, 'name');
  return { name, items: itemsOf(options), skip: options.skip, onStoreError };
}

function itemsOf<A extends Args>(options: PolicyOptions<A>): readonly Item<A>[] {
  const shared = ownOf(options, '');
  if (options.limits === undefined) {
    const { limit } = options as LimitItem<A>;
    // The one name at the top is the policy's, so a name that the Limit has comes before it.
    return [itemOf(options as LimitItem<A>, shared, '', (isLimit(limit) ? limit.name : undefined) ?? options.name)];
  }
  for (const option of ['limit', 'window'] as const) {
    if (options[option] !== undefined)
      throw optionError(option, 'cannot stand beside limits: put it into one of them', options[option]);
  }
  if (!Array.isArray(options.limits) || options.limits.length === 0) {
    throw optionError('limits', 'must be a list of at least one limit', options.limits);
  }
  const items = options.limits.map((entry: Limit | LimitItem<A>, i: number) => {
    const path = `limits[${i}]`;
    if (isLimit(entry)) {
      refuseItemOptions(entry, path);
      return itemOf({ limit: entry } as LimitItem<A>, shared, path, undefined);
    }
    checkOptions(entry, ITEM_OPTIONS, path);
    return itemOf(entry, { ...shared, ...ownOf(entry, path) }, path, entry.name);
  });
  refuseEqualNames(items);
  return items;
}

/** A Limit that was spread into an item would be read as the Limit alone. */
function refuseItemOptions(limit: Limit, path: string): void {
  for (const [option, value] of Object.entries(limit)) {
    if (option === 'name' || value === undefined || !ITEM_OPTIONS.some((own) => own === option)) continue;
    throw optionError(at(path, option), 'cannot stand inside a Limit: write { limit: theLimit, ... }', value);
  }
}

/** What an item says itself; absent options are absent here too, so that the policy's show through. */
type OwnOptions<A extends Args> = Partial<Omit<Item<A>, 'name' | 'limit'>>;

function ownOf<A extends Args>(entry: PolicyOptions<A> | LimitItem<A>, path: string): OwnOptions<A> {
  const { cost, enforce, keyGenerator } = entry;
  return {
    ...(cost !== undefined && { cost: checkCost(cost, at(path, 'cost')), ownsCost: path !== '' }),
    ...(enforce !== undefined && { enforce: checkEnforce(enforce, at(path, 'enforce')) }),
    ...(keyGenerator !== undefined && keyGeneratorsOf(keyGenerator, at(path, 'keyGenerator'))),
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
  if (isLimit(limit) && limit.algorithm === 'concurrency' && entry.cost !== undefined) {
    throw optionError(at(path, 'cost'), 'has no meaning for a concurrency limit: a request takes one slot', entry.cost);
  }
  return Object.freeze({
    name: name ?? (isLimit(limit) ? limit.name : undefined) ?? defaultName(limit, entry.window),
    limit,
    cost: own.cost ?? 1,
    ownsCost: own.ownsCost ?? false,
    enforce: own.enforce ?? 1,
    keyGenerators: own.keyGenerators,
    isCompoundKey: own.isCompoundKey ?? false,
  });
}

/** One limit, or the function that gives it: a tier, or a number for the default algorithm in this window. */
function limitOf<A extends Args>({ limit, window }: LimitItem<A>, path: string): Resolvable<A, Limit> {
  const where = at(path, 'limit');
  if (window !== undefined) {
    durationMs(window, at(path, 'window'));
    if (typeof limit !== 'function') return windowed(limit, window, where);
    return numberTier(limit as Resolver<A, number>, window, where);
  }
  if (typeof limit === 'function') return limitTier(limit as Resolver<A, Limit>, where);
  if (isLimit(limit)) return checkLimit(limit, where);
  const cure =
    typeof limit === 'number'
      ? 'needs a window beside it'
      : 'must be a number with a window, a Limit, or a function of either';
  throw optionError(where, cure, limit);
}

/** A number for the default algorithm, checked under the path where the user wrote it. */
function windowed(limit: unknown, window: Duration, path: string): Limit {
  const quota = checkWhole(limit, path);
  checkExact(quota, durationMs(window, 'window'), path);
  return slidingWindow({ limit: quota, window });
}

function limitTier<A extends Args>(tier: Resolver<A, Limit>, path: string): Resolver<A, Limit> {
  const check = (limit: Limit): Limit => checkLimit(limit, `${path}()`);
  return (...args) => whenReady(tier(...args), check) as Limit | Promise<Limit>;
}

/** Most limits come from their constructors; some come back from JSON, and a tier may answer anything. */
function checkLimit(limit: unknown, path: string): Limit {
  if (isLimit(limit) && (limit.algorithm in ALGORITHMS || limit.algorithm === 'unlimited')) return limit;
  throw optionError(path, 'must be a Limit, made by slidingWindow(), unlimited() or their like', limit);
}

/** Limits are made once for each number, so that a tier costs no checking per request; a few thousand numbers at the most. */
function numberTier<A extends Args>(tier: Resolver<A, number>, window: Duration, path: string): Resolver<A, Limit> {
  const made = new Map<number, Limit>();
  const limitFor = (limit: number): Limit => {
    let found = made.get(limit);
    if (!found) {
      found = windowed(limit, window, `${path}()`);
      if (made.size >= 4096) made.clear();
      made.set(limit, found);
    }
    return found;
  };
  return (...args) => whenReady(tier(...args), limitFor) as Limit | Promise<Limit>;
}

function defaultName<A extends Args>(limit: Resolvable<A, Limit>, window: Duration | undefined): string {
  if (window !== undefined) return `per-${durationText(durationMs(window, 'window'))}`;
  if (typeof limit === 'function') return 'tier';
  if (limit.calendar) return `per-${limit.calendar.unit}`;
  if (limit.windowMs !== undefined) return `per-${durationText(limit.windowMs)}`;
  return DEFAULT_NAMES[limit.algorithm as keyof typeof DEFAULT_NAMES];
}

function keyGeneratorsOf<A extends Args>(
  keyGenerator: KeyGenerator<A> | readonly KeyGenerator<A>[],
  path: string,
): Pick<Item<A>, 'keyGenerators' | 'isCompoundKey'> {
  if (!Array.isArray(keyGenerator)) {
    checkFunction(keyGenerator, path);
    return { keyGenerators: [keyGenerator as KeyGenerator<A>], isCompoundKey: false };
  }
  if (keyGenerator.length === 0) throw optionError(path, 'must have at least one part', keyGenerator);
  keyGenerator.forEach((part, i) => {
    checkFunction(part, `${path}[${i}]`);
  });
  return { keyGenerators: [...keyGenerator], isCompoundKey: true };
}

function checkCost<A extends Args>(cost: Resolvable<A, number>, path: string): Resolvable<A, number> {
  return typeof cost === 'function' ? cost : checkWhole(cost, path);
}

function checkEnforce(enforce: number | (() => number), path: string): number | (() => number) {
  return typeof enforce === 'function' ? () => checkFraction(enforce(), `${path}()`) : checkFraction(enforce, path);
}

function checkFraction(value: unknown, path: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw optionError(path, 'must be a number from 0 to 1', value);
}

function refuseEqualNames<A extends Args>(items: readonly Item<A>[]): void {
  items.forEach(({ name }, i) => {
    const first = items.findIndex((other) => other.name === name);
    if (first === i) return;
    throw new SluiceError(
      'SLUICE_DUPLICATE_NAME',
      `limits[${i}] and limits[${first}] are both named ${JSON.stringify(name)}: name one of them`,
      {
        path: `limits[${i}].name`,
        received: name,
      },
    );
  });
}
