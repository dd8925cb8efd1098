import { isAlgorithm } from '../algorithms/definitions.js';
import type { Check, SingleLimitFastPath, Store } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import type { DurationCounts } from '../values/duration-counts.js';
import { type Eventual, isPromise } from '../values/eventual.js';
import { encodeKey } from '../values/key.js';
import { type Limit, usesSlots } from '../values/limit.js';
import { type LimitCounts, REFUSED_CHECKS, SPENT, TENTHS } from '../values/policy-counts.js';
import { checkCost } from './check-builder.js';
import { type Counting, decideOne, tenthsLeft, withUnit } from './decision-builder.js';
import { marginOf } from './margin.js';
import type { Args, Resolvable } from './policy/options.js';
import type { Item, Policy } from './policy/parse.js';
import type { DeferredCharge, HeldCharge } from './reservation.js';

/** What all requests of a policy have in common, apart from the key and the numbers of the limit. */
interface Fixed {
  readonly policy: string;
  readonly name: string;
  readonly cost: number;
  readonly ownsCost: boolean;
  readonly quotaUnit: string | undefined;
  readonly tolerance: number;
}

/**
 * Decides by the fast path of a store. It serves a policy with one limit that is enforced for every request. A function may
 * choose the limit, if it returns it at once.
 */
export class FastPath<A extends Args> {
  /** The limit, or the function that chooses it. */
  readonly limit: Resolvable<A, Limit>;
  /** Whether a subject is its own key. */
  readonly takesSubjects: boolean;
  readonly #fixed: Fixed;
  readonly #store: Store;
  readonly #consume: Store['consume'];
  readonly #fastPath: SingleLimitFastPath;
  /** What it counts: see `LimitCounts.alone`. */
  readonly #counts: Float64Array;
  readonly #delays: DurationCounts;
  /** The last limit that it served, and its margin. */
  #limit: Limit | undefined;
  #margin = 0;
  /** The last subject and its encoding. */
  #text: string | undefined;
  #encoded = '';

  /** Returns the fast path of a policy in a store, if there is one. */
  static over<A extends Args>(policy: Policy<A>, store: Store, { limits }: Counting): FastPath<A> | undefined {
    const [item] = policy.items;
    const fixed = fixedOf(policy);
    if (item === undefined || fixed === undefined) return undefined;
    const { limit } = item;
    const fastPath = store.fastPath?.(fixed.policy, fixed.name, typeof limit === 'function' ? undefined : limit);
    return fastPath && new FastPath(item, fixed, store, fastPath, limits[0] as LimitCounts);
  }

  private constructor(
    { limit, keyGenerators, partition }: Item<A>,
    fixed: Fixed,
    store: Store,
    fastPath: SingleLimitFastPath,
    counts: LimitCounts,
  ) {
    this.limit = limit;
    this.takesSubjects = keyGenerators === undefined && partition === undefined;
    this.#fixed = fixed;
    this.#store = store;
    this.#consume = store.consume;
    this.#fastPath = fastPath;
    this.#counts = counts.alone;
    this.#delays = counts.delays;
  }

  /** Whether it can be used now: the store's `consume` was not replaced. */
  get isOpen(): boolean {
    return this.#store.consume === this.#consume;
  }

  /** Returns the limit of a subject. `takesSubjects` must be true. */
  limitOf(subject: string): Eventual<Limit> {
    const { limit } = this;
    return typeof limit === 'function' ? (limit as unknown as (subject: string) => Eventual<Limit>)(subject) : limit;
  }

  /** Whether it can decide by what the policy or its function has as the limit. It cannot wait for a promise. */
  serves(limit: Eventual<Limit>): limit is Limit {
    return limit === this.#limit || (!isPromise(limit) && isServed(limit));
  }

  /** Returns the checked cost of a request. `given` replaces the cost of the policy. */
  costOf(given: number | undefined): number {
    const { cost, ownsCost } = this.#fixed;
    if (given === undefined) return cost;
    const checked = checkCost(given);
    return ownsCost ? cost : checked;
  }

  /** Encodes a subject that is its own key. */
  encode(subject: string): string {
    if (subject === this.#text) return this.#encoded;
    this.#text = subject;
    this.#encoded = encodeKey(subject);
    return this.#encoded;
  }

  checkOf(key: string, cost: number, limit: Limit): Check {
    const { policy, name, tolerance } = this.#fixed;
    const margin = marginOf(limit, tolerance);
    return margin === 0 ? { policy, name, key, limit, cost } : { policy, name, key, limit, cost, margin };
  }

  /** Decides as the engine does, and counts the decision. Errors of the store are thrown. */
  consume(key: string, cost: number, limit: Limit): Decision {
    const { policy, quotaUnit, tolerance } = this.#fixed;
    if (limit !== this.#limit) {
      this.#limit = limit;
      this.#margin = tolerance === 0 ? 0 : marginOf(limit, tolerance);
    }
    const verdict = withUnit(this.#fastPath.consume(key, cost, limit, this.#margin), quotaUnit);
    this.#count(verdict);
    return decideOne(policy, [verdict], verdict, 'store');
  }

  #count({ allowed, remaining, limit: { quota }, cost, delayMs }: Verdict): void {
    const counts = this.#counts;
    if (!allowed) {
      counts[REFUSED_CHECKS] = (counts[REFUSED_CHECKS] as number) + 1;
      return;
    }
    const place = TENTHS + tenthsLeft(remaining, quota);
    counts[place] = (counts[place] as number) + 1;
    counts[SPENT] = (counts[SPENT] as number) + cost;
    if (delayMs > 0) this.#delays.add(delayMs);
  }

  /** Returns the charge of the last decision of `consume`; undefined if it refused. */
  chargeOf({ allowed }: Decision, key: string): DeferredCharge | undefined {
    return allowed ? new FastCharge(this, key, this.#fastPath.atMs) : undefined;
  }

  /** Makes the charge of a check that was allowed. */
  heldBy(key: string, { cost, limit }: Verdict, atMs: number): HeldCharge {
    return { store: this.#store, checks: [this.checkOf(key, cost, limit)], atMs, id: undefined };
  }
}

/** The charge of a decision by the fast path. */
class FastCharge implements DeferredCharge {
  readonly #fastPath: Pick<FastPath<never>, 'heldBy'>;
  readonly #key: string;
  readonly #atMs: number;

  constructor(fastPath: Pick<FastPath<never>, 'heldBy'>, key: string, atMs: number) {
    this.#fastPath = fastPath;
    this.#key = key;
    this.#atMs = atMs;
  }

  held(verdict: Verdict): HeldCharge {
    return this.#fastPath.heldBy(this.#key, verdict, this.#atMs);
  }
}

function fixedOf<A extends Args>({ name: policy, items, skip }: Policy<A>): Fixed | undefined {
  const [item] = items;
  if (item === undefined || items.length > 1 || skip) return undefined;
  const { name, limit, cost, ownsCost, quotaUnit, enforce, margins, slowDown, guarantee } = item;
  if (typeof limit !== 'function' && !isServed(limit)) return undefined;
  if (typeof cost === 'function' || enforce !== 1) return undefined;
  if (margins?.elastic || margins?.headroom || slowDown || guarantee) return undefined;
  return { policy, name, cost, ownsCost, quotaUnit, tolerance: margins?.tolerance ?? 0 };
}

function isServed(limit: Limit): boolean {
  return limit.calendar === undefined && !usesSlots(limit) && isAlgorithm(limit.algorithm);
}
