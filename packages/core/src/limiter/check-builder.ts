import type { LimitCheck, Target } from '../stores/store.js';
import type { CalendarBounds, CalendarBoundsCache } from '../values/calendar.js';
import { SluiceError, show } from '../values/error.js';
import { type Eventual, isPromise, mapInOrder, whenReady } from '../values/eventual.js';
import { encodeKey, encodePair, type Key } from '../values/key.js';
import { type Limit, usesSlots } from '../values/limit.js';
import { murmurHash } from '../values/murmur-hash.js';
import { guaranteed } from './guarantee.js';
import { priorityOf, withMargin } from './margin.js';
import { marked } from './mark.js';
import type { KeyGenerators } from './policy/key-generators.js';
import type { Args, Enforce, KeyGenerator, Resolver } from './policy/options.js';
import type { Item, Policy } from './policy/parse.js';

/** Decides where the key of an item without a `keyGenerator` comes from, and what happens if a key is missing. */
export interface KeySource<A extends Args> {
  /** Returns the encoded key of a request in all limits without a `keyGenerator`; undefined if it has none. */
  defaultKey(args: A): string | undefined;
  /**
   * Turns the result of a `keyGenerator` into the key to count by.
   *
   * @throws SluiceError `SLUICE_KEY` if there is none
   */
  keyFor(answered: Key | null | undefined, item: Item<A>, args: A): Eventual<Key>;
}

/** What several checks of one request share. */
interface Shared {
  /** The encoded key of limits without a `keyGenerator`, once it is known. */
  defaultKey: string | undefined;
}

/** Makes the checks of a policy for one request: the key, the cost and the limit of each. */
export class CheckBuilder<A extends Args> {
  readonly #policy: Policy<A>;
  readonly #items: readonly Item<A>[];
  readonly #keys: KeySource<A>;
  readonly #calendarBounds: CalendarBoundsCache;
  /** What the hashes of keys begin with. */
  readonly #seed: number;
  readonly #hasMargins: boolean;
  readonly #hasGuarantees: boolean;
  readonly #isExtended: boolean;

  constructor(policy: Policy<A>, keys: KeySource<A>, bounds: CalendarBoundsCache) {
    this.#policy = policy;
    this.#items = policy.items.map(ofOneSlot);
    this.#keys = keys;
    this.#calendarBounds = bounds;
    this.#seed = murmurHash(policy.name);
    this.#hasMargins = policy.items.some(({ margins }) => margins !== undefined);
    this.#hasGuarantees = policy.items.some(({ guarantee }) => guarantee !== undefined);
    this.#isExtended = this.#hasMargins || this.#hasGuarantees;
  }

  /**
   * Returns one check per item, including unlimited ones; undefined if the request is skipped. `cost` replaces the cost
   * of the policy.
   *
   * Makes one check after the other, at once as long as nothing is a promise: a failure leaves no other call running. With
   * `mapInOrder`, which takes fewer parameters, a decision in memory allocates about 100 bytes more (`npm run bench -- allocation`).
   *
   * @param skip - the function that is asked first
   */
  checks(
    args: A,
    cost: number | undefined,
    skip: Resolver<A, boolean> | null = this.#policy.skip ?? null,
  ): Eventual<readonly LimitCheck[] | undefined> {
    const given = cost === undefined ? undefined : checkCost(cost);
    if (skip) return this.#unlessSkipped(skip, args, given);
    const items = this.#items;
    const shared = items.length === 1 ? undefined : { defaultKey: undefined };
    const checks = new Array<LimitCheck>(items.length);
    for (let i = 0; i < items.length; i += 1) {
      const check = this.#check(items[i] as Item<A>, args, given, shared);
      if (check instanceof Promise)
        return this.#extended(this.#checksLater(checks, i, check, args, given, shared), args);
      checks[i] = check as LimitCheck;
    }
    return this.#isExtended ? this.#extended(checks, args) : checks;
  }

  #unlessSkipped(
    skip: Resolver<A, boolean>,
    args: A,
    cost: number | undefined,
  ): Eventual<readonly LimitCheck[] | undefined> {
    return whenReady(skip(...args), (skipped) => (skipped ? undefined : this.checks(args, cost, null)));
  }

  /** The rest of `checks`, from the first promise on. */
  async #checksLater(
    checks: LimitCheck[],
    from: number,
    first: PromiseLike<LimitCheck>,
    args: A,
    cost: number | undefined,
    shared: Shared | undefined,
  ): Promise<readonly LimitCheck[]> {
    const items = this.#items;
    checks[from] = await first;
    for (let i = from + 1; i < items.length; i += 1) {
      checks[i] = await this.#check(items[i] as Item<A>, args, cost, shared);
    }
    return checks;
  }

  /** Adds margins and guarantees. */
  #extended(checks: Eventual<readonly LimitCheck[]>, args: A): Eventual<readonly LimitCheck[]> {
    const margined = this.#hasMargins ? whenReady(checks, (made) => this.#withMargins(made, args)) : checks;
    if (!this.#hasGuarantees) return margined;
    return whenReady(margined, (made) => mapInOrder(this.#items, this.#guaranteed, args, made));
  }

  readonly #guaranteed = (item: Item<A>, args: A, checks: readonly LimitCheck[]): Eventual<LimitCheck> => {
    const { guarantee } = item;
    const check = checks[this.#items.indexOf(item)] as LimitCheck;
    if (!guarantee) return check;
    return whenReady(keyBy(guarantee, args), (tenant) => {
      if (isMissing(tenant)) return guaranteed(check, guarantee, undefined);
      return whenReady(this.#keys.keyFor(tenant, item, args), (key) =>
        whenReady(guarantee.part(...args), (part) => guaranteed(check, guarantee, encodeKey(key), part)),
      );
    });
  };

  #withMargins(checks: readonly LimitCheck[], args: A): Eventual<readonly LimitCheck[]> {
    const items = this.#items;
    return whenReady(priorityOf(this.#policy, args), (priority) =>
      checks.map((check, i) => {
        const margins = items[i]?.margins;
        return margins ? withMargin(check, margins, priority) : check;
      }),
    );
  }

  /** Finds the limit, then the key, then the cost. If one of them is a promise, the rest is made later. */
  #check(item: Item<A>, args: A, given: number | undefined, shared: Shared | undefined): Eventual<LimitCheck> {
    // A cost that is given replaces that of the policy.
    const cost = given === undefined || item.ownsCost ? item.cost : given;
    const limit = typeof item.limit === 'function' ? item.limit(...args) : item.limit;
    if (limit instanceof Promise) return this.#checkLater(item, limit, undefined, args, cost, shared);
    const key = this.#key(item, args, shared);
    if (typeof key !== 'string') return this.#checkLater(item, limit, key, args, cost, shared);
    return typeof cost === 'function'
      ? this.#spending(item, limit, key, args, cost)
      : this.#make(item, limit, key, cost);
  }

  // Closures have methods of their own: see "Functions" in `packages/bench/docs/v8.md`.

  /** The same, with a promise of the limit or the key. */
  async #checkLater(
    item: Item<A>,
    limit: Eventual<Limit>,
    key: Eventual<string> | undefined,
    args: A,
    cost: Item<A>['cost'],
    shared: Shared | undefined,
  ): Promise<LimitCheck> {
    const known = await limit;
    const text = await (key ?? this.#key(item, args, shared));
    return typeof cost === 'function'
      ? this.#spending(item, known, text, args, cost)
      : this.#make(item, known, text, cost);
  }

  #spending(item: Item<A>, limit: Limit, key: string, args: A, cost: Resolver<A, number>): Eventual<LimitCheck> {
    return whenReady(cost(...args), (units) => this.#make(item, limit, key, usesSlots(limit) ? 1 : checkCost(units)));
  }

  /** Makes the key without a `keyGenerator` once for all limits that count by it. */
  #key(item: Item<A>, args: A, shared: Shared | undefined): Eventual<string> {
    const { keyGenerators, partition } = item;
    const key = keyGenerators ? this.#ownKey(item, args) : (shared?.defaultKey ?? this.#keys.defaultKey(args));
    if (shared && !keyGenerators && typeof key === 'string') shared.defaultKey = key;
    const whole = key ?? this.#keyOf(undefined, item, args);
    return partition === undefined ? whole : this.#partitioned(whole, partition, args);
  }

  #partitioned(key: Eventual<string>, partition: KeyGenerator<A>, args: A): Eventual<string> {
    return whenReady(key, (whole) =>
      whenReady(partition(...args), (part) => (isMissing(part) ? whole : encodePair(whole, part))),
    );
  }

  #ownKey(item: Item<A>, args: A): Eventual<string> {
    const { keyGenerators = [], isCompoundKey } = item;
    const key = isCompoundKey ? keyBy({ keyGenerators, isCompoundKey }, args) : keyGenerators[0]?.(...args);
    return isPromise(key) ? this.#keyLater(key, item, args) : this.#keyOf(key, item, args);
  }

  async #keyLater(key: PromiseLike<Key | null | undefined>, item: Item<A>, args: A): Promise<string> {
    return this.#keyOf(await key, item, args);
  }

  #keyOf(answered: Key | null | undefined, item: Item<A>, args: A): Eventual<string> {
    return whenReady(this.#keys.keyFor(answered, item, args), encodeKey);
  }

  /** The fields are listed, because a spread is several times slower, and so is what reads its result. */
  #make(item: Item<A>, limit: Limit, key: string, units: number): LimitCheck {
    const { name: policy } = this.#policy;
    const { name, enforce } = item;
    const share = typeof enforce === 'function' ? enforce() : enforce;
    const cost = typeof item.limit === 'function' && usesSlots(limit) ? 1 : units;
    if (share !== 1 || limit.calendar !== undefined)
      return this.#makeSpecial({ policy, name, key }, limit, cost, share);
    return { policy, name, key, limit, cost };
  }

  /** Makes a check of a limit that is not enforced for every key, or that follows a calendar. */
  #makeSpecial(target: Target, limit: Limit, cost: number, share: Enforce): LimitCheck {
    const isShadow = share !== 1 && (share === 0 || !isEnforced(share, this.#seed, target.key));
    const calendarBoundsMs = limit.calendar && this.#calendarBounds.now(limit.calendar);
    const check = checkOf(target, limit, cost, isShadow, calendarBoundsMs);
    return share === 'mark' ? marked(check) : check;
  }
}

/** A request takes one slot of a concurrency limit, whatever it costs. */
function ofOneSlot<A extends Args>(item: Item<A>): Item<A> {
  const takesSlot = typeof item.limit !== 'function' && usesSlots(item.limit);
  return takesSlot ? { ...item, cost: 1, ownsCost: true } : item;
}

/** Each kind of check has its own fields, and no field without a value. */
function checkOf(
  { policy, name, key }: Target,
  limit: Limit,
  cost: number,
  isShadow: boolean,
  calendarBoundsMs: CalendarBounds | undefined,
): LimitCheck {
  if (calendarBoundsMs === undefined)
    return isShadow ? { policy, name, key, limit, cost, shadow: true } : { policy, name, key, limit, cost };
  return isShadow
    ? { policy, name, key, limit, cost, shadow: true, calendarBoundsMs }
    : { policy, name, key, limit, cost, calendarBoundsMs };
}

/** Returns the key that the functions make; null or undefined if it is missing, or a part of it. */
function keyBy<A extends Args>(
  { keyGenerators, isCompoundKey }: KeyGenerators<A>,
  args: A,
): Eventual<Key | null | undefined> {
  return whenReady(mapInOrder(keyGenerators, partOf<A>, args, undefined), (parts) => {
    if (!isCompoundKey) return parts[0];
    return parts.some(isMissing) ? undefined : (parts as readonly Key[]);
  });
}

function partOf<A extends Args>(generator: KeyGenerator<A>, args: A): Eventual<Key | null | undefined> {
  return generator(...args);
}

/** Whether a `keyGenerator` returned no key. */
export function isMissing(key: unknown): key is null | undefined {
  return key === undefined || key === null;
}

/**
 * Returns the cost.
 *
 * @throws SluiceError `SLUICE_COST` if it is no safe integer of at least 0
 */
export function checkCost(cost: unknown): number {
  // Adding 0 turns -0, which is also at least 0, into 0.
  if (Number.isSafeInteger(cost) && (cost as number) >= 0) return (cost as number) + 0;
  throw new SluiceError('SLUICE_COST', `a cost must be a safe integer of at least 0, got ${show(cost)}`, {
    received: cost,
  });
}

/**
 * A hash decides, not chance, so that the same share of keys is enforced on every instance and at any time.
 *
 * @param seed - the hash of the policy's name, so that other policies enforce other keys
 */
function isEnforced(share: Enforce, seed: number, key: string): boolean {
  return share !== 'mark' && murmurHash(key, seed) < share * 2 ** 32;
}
