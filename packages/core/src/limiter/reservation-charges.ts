import type { Change, ChangeResponse, LimitCheck, Store } from '../stores/store.js';
import type { Eventual } from '../values/eventual.js';
import type { StoreOutcome } from './fallback.js';
import { type HeldCharge, hold } from './life/hold.js';
import type { LimitChange } from './limit-change.js';
import type { Item } from './policy/parse.js';
import type { ReservationContext } from './reservation.js';
import type { StoreClient } from './store-client.js';

/** Holds the slots of a policy's reservations, and corrects their charges in its store. */
export class ReservationCharges implements ReservationContext {
  readonly isAsync: boolean;
  readonly ownsCost: ReadonlyMap<string, boolean>;
  readonly #store: Store;
  readonly #storeClient: StoreClient;
  readonly #limitsNow: () => LimitChange | undefined;

  /** @param limitsNow - returns the change to the new limits, if other limits have replaced those of the policy */
  constructor(
    items: readonly Item<never>[],
    store: Store,
    storeClient: StoreClient,
    limitsNow: () => LimitChange | undefined,
  ) {
    this.isAsync = store.async;
    this.ownsCost = new Map(items.map(({ name, ownsCost }) => [name, ownsCost]));
    this.#store = store;
    this.#storeClient = storeClient;
    this.#limitsNow = limitsNow;
  }

  hold(outcome: StoreOutcome): HeldCharge | undefined {
    return outcome.store && hold(outcome, outcome.store, this.#storeClient.timeoutMs);
  }

  chargeOf(store: Store, check: LimitCheck, amount: number): number {
    return this.#storeClient.chargeOf(store, check, amount);
  }

  /** A failure is published, and what it means for the units is decided by the fallback. */
  adjust(store: Store, change: Change): Eventual<ChangeResponse | undefined> {
    const limitsNow = store === this.#store ? this.#limitsNow() : undefined;
    return this.#storeClient.adjust(store, limitsNow ? { ...change, checks: change.checks.map(limitsNow) } : change);
  }
}
