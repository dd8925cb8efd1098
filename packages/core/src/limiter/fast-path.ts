import { isAlgorithm } from '../algorithms/definitions.js';
import type { Check, SingleLimitFastPath, Store } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import type { DurationCounts } from '../values/duration-counts.js';
import { encodeKey, type Key } from '../values/key.js';
import { type Limit, usesSlots } from '../values/limit.js';
import { type LimitCounts, REFUSED_CHECKS, SPENT, TENTHS } from '../values/policy-counts.js';
import { checkCost } from './check-builder.js';
import { type Counting, decideOne, tenthsLeft, withUnit } from './decision-builder.js';
import { marginOf } from './margin.js';
import type { Args } from './policy/options.js';
import type { Policy } from './policy/parse.js';
import type { Charge } from './reservation.js';

/** What all requests of a policy have in common, apart from the key. */
interface Fixed {
  readonly policy: string;
  readonly name: string;
  readonly limit: Limit;
  readonly cost: number;
  readonly ownsCost: boolean;
  readonly quotaUnit: string | undefined;
  readonly margin?: number;
}

/**
 * Decides by the fast path of a store. It serves a policy with one limit that is the same, and enforced, for every
 * request.
 */
export class FastPath {
  /** Whether a subject is its own key. */
  readonly takesSubjects: boolean;
  readonly #fixed: Fixed;
  readonly #store: Store;
  readonly #consume: Store['consume'];
  readonly #fastPath: SingleLimitFastPath;
  /** What it counts: see `LimitCounts.alone`. */
  readonly #counts: Float64Array;
  readonly #delays: DurationCounts;
  /** The last text key and its encoding. Lists are not kept, because their parts can change. */
  #text: string | undefined;
  #encoded = '';

  /** Returns the fast path of a policy in a store, if there is one. */
  static over<A extends Args>(policy: Policy<A>, store: Store, { limits }: Counting): FastPath | undefined {
    const fixed = fixedOf(policy);
    const fastPath = fixed && store.fastPath?.(fixed);
    const [item] = policy.items;
    const takesSubjects = item?.keyGenerators === undefined && item?.partition === undefined;
    return fastPath && new FastPath(fixed, takesSubjects, store, fastPath, limits[0] as LimitCounts);
  }

  private constructor(
    fixed: Fixed,
    takesSubjects: boolean,
    store: Store,
    fastPath: SingleLimitFastPath,
    counts: LimitCounts,
  ) {
    this.takesSubjects = takesSubjects;
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

  /** Returns the checked cost of a request. `given` replaces the cost of the policy. */
  costOf(given: number | undefined): number {
    const { cost, ownsCost } = this.#fixed;
    if (given === undefined) return cost;
    const checked = checkCost(given);
    return ownsCost ? cost : checked;
  }

  encode(key: Key): string {
    if (key === this.#text) return this.#encoded;
    const encoded = encodeKey(key);
    if (typeof key === 'string') {
      this.#text = key;
      this.#encoded = encoded;
    }
    return encoded;
  }

  checkOf(key: string, cost: number): Check {
    const { policy, name, limit, margin } = this.#fixed;
    return margin === undefined ? { policy, name, key, limit, cost } : { policy, name, key, limit, cost, margin };
  }

  /** Decides as the engine does, and counts the decision. Errors of the store are thrown. */
  consume(key: string, cost: number): Decision {
    const { policy, quotaUnit } = this.#fixed;
    const verdict = withUnit(this.#fastPath.consume(key, cost), quotaUnit);
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
  chargeOf({ allowed }: Decision, key: string, cost: number): Charge | undefined {
    if (!allowed) return undefined;
    return { store: this.#store, checks: [this.checkOf(key, cost)], atMs: this.#fastPath.atMs, id: undefined };
  }
}

function fixedOf<A extends Args>({ name: policy, items, skip }: Policy<A>): Fixed | undefined {
  const [item] = items;
  if (item === undefined || items.length > 1 || skip) return undefined;
  const { name, limit, cost, ownsCost, quotaUnit, enforce, margins, slowDown, guarantee } = item;
  if (typeof limit === 'function' || typeof cost === 'function' || enforce !== 1) return undefined;
  if (limit.calendar || usesSlots(limit) || !isAlgorithm(limit.algorithm)) return undefined;
  if (margins?.elastic || margins?.headroom || slowDown || guarantee) return undefined;
  const fixed = { policy, name, limit, cost, ownsCost, quotaUnit };
  const margin = marginOf(limit, margins?.tolerance ?? 0);
  return margin === 0 ? fixed : { ...fixed, margin };
}
