import type { SingleLimitFastPath } from '../stores/memory/fast-path.js';
import { fastPathIn } from '../stores/memory/fast-paths.js';
import { publishEvicted } from '../stores/memory/forgotten.js';
import type { Check, Store } from '../stores/store.js';
import type { Decision, Verdict } from '../values/decision.js';
import { isHeard } from '../values/events.js';
import { encodeKey, type Key } from '../values/key.js';
import type { Limit } from '../values/limit.js';
import { checkCost } from './check-builder.js';
import { decideOne } from './decision-builder.js';
import type { Args } from './policy/options.js';
import type { Policy } from './policy/parse.js';
import { withUnit } from './policy/quota-units.js';
import type { Charge } from './reservation.js';

/** What is the same for all in a policy. */
interface Fixed {
  readonly policy: string;
  readonly name: string;
  readonly limit: Limit;
  readonly cost: number;
  readonly ownsCost: boolean;
  readonly quotaUnit: string | undefined;
}

/**
 * The short way to a decision: without the check, the ask and the reply of each request, which are the same but for the
 * key where a policy has one limit, the same and enforced for all, in a store that has a meter for it.
 */
export class FastPath {
  /** Whether a subject is its own key. */
  readonly takesSubjects: boolean;
  readonly #fixed: Fixed;
  readonly #store: Store;
  readonly #consume: Store['consume'];
  readonly #fastPath: SingleLimitFastPath;
  /** The key that the meter is asked about, if it is text: a list may be another when it comes again. */
  #text: string | undefined;
  #cost = 0;

  /** The short way over a store, if a policy has one. */
  static over<A extends Args>(policy: Policy<A>, store: Store): FastPath | undefined {
    const fixed = fixedOf(policy);
    const fastPath = fixed && fastPathIn(store, fixed);
    return fastPath && new FastPath(fixed, policy.items[0]?.keyGenerators === undefined, store, fastPath);
  }

  private constructor(fixed: Fixed, takesSubjects: boolean, store: Store, fastPath: SingleLimitFastPath) {
    this.takesSubjects = takesSubjects;
    this.#fixed = fixed;
    this.#store = store;
    this.#consume = store.consume;
    this.#fastPath = fastPath;
  }

  /** Whether it may be gone: nobody has to be told, and the store's `consume` is the one that it was. */
  get isOpen(): boolean {
    return this.#store.consume === this.#consume && !isHeard('sluice:decision');
  }

  /** What was asked last. */
  get check(): Check {
    const { policy, name, limit } = this.#fixed;
    return { policy, name, key: this.#fastPath.key, limit, cost: this.#cost };
  }

  /** What is asked next; a mistake in it is thrown. `given` replaces the policy's cost. */
  turnTo(key: Key, given: number | undefined): void {
    this.#cost = this.#costOf(given);
    if (key === this.#text) return;
    this.#fastPath.turnTo(encodeKey(key));
    this.#text = typeof key === 'string' ? key : undefined;
  }

  /** Decides, as the engine does; whatever the store throws is thrown. */
  consume(): Decision {
    const decision = this.#decide();
    this.#tell();
    return decision;
  }

  /** Decides, and says what was charged, if anything was. */
  reserve(): readonly [Decision, Charge | undefined] {
    const decision = this.#decide();
    const charge = decision.allowed
      ? { store: this.#store, checks: [this.check], atMs: this.#fastPath.atMs, id: undefined }
      : undefined;
    this.#tell();
    return [decision, charge];
  }

  #decide(): Decision {
    const fastPath = this.#fastPath;
    const cost = this.#cost;
    fastPath.consume(cost);
    const { policy, name, limit, quotaUnit } = this.#fixed;
    const { allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs } = fastPath;
    const verdict: Verdict = { name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
    const told = withUnit(verdict, quotaUnit);
    return decideOne(policy, [told], told, 'store');
  }

  /** Listeners may ask in their turn, and then the meter has another answer. */
  #tell(): void {
    publishEvicted(this.#fastPath.forgotten);
  }

  #costOf(given: number | undefined): number {
    const { cost, ownsCost } = this.#fixed;
    if (given === undefined) return cost;
    const checked = checkCost(given);
    return ownsCost ? cost : checked;
  }
}

function fixedOf<A extends Args>({ name: policy, items, skip }: Policy<A>): Fixed | undefined {
  const [item] = items;
  if (item === undefined || items.length > 1 || skip) return undefined;
  const { name, limit, cost, ownsCost, quotaUnit, enforce } = item;
  if (typeof limit === 'function' || typeof cost === 'function' || enforce !== 1) return undefined;
  if (limit.calendar || limit.algorithm === 'unlimited' || limit.algorithm === 'concurrency') return undefined;
  return { policy, name, limit, cost, ownsCost, quotaUnit };
}
