import type { Change, ChangeResult, Correction, LimitCheck, Store } from '../stores/store.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import { nextOperationId } from '../values/operation-id.js';
import type { PolicyCounts } from '../values/policy-counts.js';
import { leaseRenewerOf } from './lease-renewer.js';
import type { LimitChange } from './limit-change.js';
import type { Item, Policy } from './policy/parse.js';
import type { Renewing } from './renewal-queue.js';
import { type EndByItself, type HeldCharge, isSlot, type ReservationContext, type Sharing } from './reservation.js';
import type { StoreClient } from './store-client.js';

/** Keeps the charges of a policy's reservations: renews their slots, and corrects each charge once. */
export class PolicyCharges implements ReservationContext {
  readonly isAsync: boolean;
  readonly ownsCost: ReadonlyMap<string, boolean>;
  readonly #store: Store;
  /** How long a renewal waits for a store over a network, where the policy says it. */
  readonly #patience: Pick<Renewing, 'timeoutMs'>;
  readonly #storeClient: StoreClient;
  readonly #counts: PolicyCounts;
  readonly #limitsNow: () => LimitChange | undefined;

  /** @param limitsNow - returns the change to the new limits, if other limits have replaced those of the policy */
  constructor(
    { items, timeoutMs }: Pick<Policy<never>, 'items' | 'timeoutMs'>,
    store: Store,
    storeClient: StoreClient,
    counts: PolicyCounts,
    limitsNow: () => LimitChange | undefined,
  ) {
    this.isAsync = store.async;
    this.ownsCost = new Map(items.map(({ name, ownsCost }: Item<never>) => [name, ownsCost]));
    this.#store = store;
    this.#patience = store.remote && timeoutMs !== undefined ? { timeoutMs } : {};
    this.#storeClient = storeClient;
    this.#counts = counts;
    this.#limitsNow = limitsNow;
  }

  /** Holds the slots of a charge until they are freed. Others may free those of an operation, and nobody takes them again. */
  hold(id: string, { store, checks, sharing }: HeldCharge): void {
    const slots = checks.filter(isSlot);
    for (const { name } of slots) this.#counts.limitSoFar(name).slotTaken();
    leaseRenewerOf(store).hold(id, slots, { ...this.#patience, renew: sharing ? 'held' : true });
  }

  chargeOf(store: Store, check: LimitCheck, amount: number): number {
    return this.#storeClient.chargeOf(store, check, amount);
  }

  correct(charge: HeldCharge, changes: readonly Correction[], end?: EndByItself): Eventual<ChangeResult | undefined> {
    const { store, id } = charge;
    if (id === undefined || charge.sharing?.isHandedOver) return this.#adjust(charge, changes, end);
    this.#countFreed(changes);
    return whenReady(leaseRenewerOf(store).release(id), () => this.#adjust(charge, changes, end));
  }

  handOver({ store, id, checks }: HeldCharge): void {
    if (id === undefined) return;
    this.#countFreed(checks);
    leaseRenewerOf(store).handOver(id);
  }

  #countFreed(checks: readonly LimitCheck[]): void {
    for (const check of checks) if (isSlot(check)) this.#counts.limitSoFar(check.name).slots -= 1;
  }

  #adjust(
    { store, atMs, id, sharing }: HeldCharge,
    changes: readonly Correction[],
    end: EndByItself | undefined,
  ): Eventual<ChangeResult | undefined> {
    const limitsNow = store === this.#store ? this.#limitsNow() : undefined;
    const checks = limitsNow ? changes.map(limitsNow) : changes;
    const change = { checks, atMs, ...(id !== undefined && { id }) };
    return sharing
      ? this.#adjustShared(store, change, sharing, end)
      : this.#storeClient.adjust(store, withOperationId(change, store));
  }

  /** Corrects the slots and the units each under the id that others use for them, too. */
  #adjustShared(
    store: Store,
    change: Change,
    { id, untilMs }: Sharing,
    end: EndByItself | undefined,
  ): Eventual<ChangeResult | undefined> {
    const slots = change.checks.filter(isSlot);
    const checks = change.checks.filter((check) => !isSlot(check));
    const freed = slots.length > 0 ? this.#storeClient.adjust(store, { ...change, checks: slots }) : undefined;
    if (checks.length === 0) return freed;
    const once = { id, keptUntilMs: untilMs, notAfterMs: untilMs, ...end };
    return whenReady(freed, () => this.#storeClient.adjust(store, { ...change, checks, ...once }));
  }
}

/** Returns the change with an id, if a network could deliver it to the store twice. */
export function withOperationId(change: Change, store: Store): Change {
  const needsNone = change.id !== undefined || !store.remote;
  return needsNone ? change : { ...change, id: nextOperationId() };
}
