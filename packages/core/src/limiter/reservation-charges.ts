import type { Change, ChangeResponse, LimitCheck, Store } from '../stores/store.js';
import type { Eventual } from '../values/eventual.js';
import type { StoreOutcome } from './fallback.js';
import { type HeldCharge, hold } from './life/hold.js';
import { leaseRenewerOf } from './life/lease-renewer.js';
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
  readonly #limitsNow: (store: Store) => LimitChange | undefined;

  /**
   * @param limitsNow - returns the change to the new limits, as they are in a store, if other limits have replaced those of the policy
   */
  constructor(
    items: readonly Item<never>[],
    store: Store,
    storeClient: StoreClient,
    limitsNow: (store: Store) => LimitChange | undefined,
  ) {
    this.isAsync = store.async;
    this.ownsCost = new Map(items.map(({ name, ownsCost }) => [name, ownsCost]));
    this.#store = store;
    this.#storeClient = storeClient;
    this.#limitsNow = limitsNow;
  }

  /** Whoever waits for a slot of the store hears of those that are taken and freed in this process while the store is away. */
  hold(outcome: StoreOutcome): HeldCharge | undefined {
    const { store } = outcome;
    if (!store) return undefined;
    if (store !== this.#store) leaseRenewerOf(store).subscribe(leaseRenewerOf(this.#store).freed);
    return hold(outcome, store, this.#storeClient.timeoutMs);
  }

  chargeOf(store: Store, check: LimitCheck, amount: number): number {
    return this.#storeClient.chargeOf(store, check, amount);
  }

  /** A failure is published, and what it means for the units is decided by the fallback. */
  adjust(store: Store, change: Change): Eventual<ChangeResponse | undefined> {
    const limitsNow = this.#limitsNow(store);
    return this.#storeClient.adjust(store, limitsNow ? { ...change, checks: change.checks.map(limitsNow) } : change);
  }
}
