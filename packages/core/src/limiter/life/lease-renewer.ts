// Why it is so: docs/why/ends-of-requests.md

import { keyspacesOf } from '../../stores/keyspace.js';
import type { LimitCheck, Store } from '../../stores/store.js';
import { publishStoreError } from '../../stores/store-failure.js';
import { type Sleeper, sleeperOn } from '../../values/clock.js';
import { isMistake } from '../../values/error.js';
import { type Eventual, isPromise, recover, whenReady } from '../../values/eventual.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { type LimitRecorder, policyRecorder } from '../../values/policy-recorder.js';
import { IS_REQUEST_BOUND } from '../../values/request-bound.js';
import type { HeldCheck } from '../guarantee.js';
import type { LimitChange } from '../limit-change.js';
import { type HeldSlot, RenewalQueue, type Renewing } from './renewal-queue.js';

/** Slots that become due within this part of a period are renewed together, so that one wake-up serves many slots. */
const EARLY = 1 / 64;

/** How much weight one wake-up renews in a synchronous store: some milliseconds of work. */
const MOST_PER_WAKE = 256;

/** The most weight of running renewals in an asynchronous store, so that no renewal waits longer than its deadline. */
const MOST_UNDER_WAY = 1024;

/** A renewal reads all slots of its key. This many slots take as long as the rest of the renewal. */
const SLOTS_PER_UNIT = 64;

const PLAIN: Renewing = { renew: true };

/**
 * Renews the leases of held slots after a third of their length, with a single sleep on the store's clock. Slots that
 * are not due yet cost nothing. The sleep keeps the process alive, until the store is closed.
 *
 * In a Worker, each slot has a timer of its own, so that it is renewed as long as its request runs, and no longer.
 */
export class LeaseRenewer {
  readonly #store: Store;
  readonly #held = new Map<string, HeldSlot>();
  /** The queues by the length of their period: one for each different lease. */
  readonly #queues = new Map<number, RenewalQueue>();
  /** The weight of the running renewals. */
  #underWay = 0;
  /** Whether due slots wait for running renewals to end. */
  #isBehind = false;
  #isClosed = false;
  readonly #sleeper: Sleeper;
  /** Infinite while it does not sleep. */
  #wakesAtMs = Number.POSITIVE_INFINITY;

  /** Called with the checks of each slot that is freed. */
  readonly #listeners = new Set<(checks: readonly LimitCheck[]) => void>();
  #releases = 0;

  constructor(store: Store) {
    this.#store = store;
    this.#sleeper = sleeperOn(store.clock, () => this.#woken());
    for (const keyspace of keyspacesOf(store)) keyspace.whenClosed(() => this.#close());
  }

  /**
   * A slot that is held already, because its request was repeated, is held once.
   *
   * @param renewing - `renew: 'held'` if others may free the slot: then it is not taken again after its lease
   */
  hold(id: string, checks: readonly HeldCheck[], renewing: Renewing = PLAIN): HeldSlot {
    const known = this.#held.get(id);
    if (known) this.#forget(known);
    const everyMs = Math.floor(Math.min(...checks.map(({ limit }) => limit.leaseMs as number)) / 3);
    const renewAtMs = this.#store.clock.now() + everyMs;
    const weight = checks.reduce((sum, { limit }) => sum + Math.floor(limit.quota / SLOTS_PER_UNIT), 1);
    const slot: HeldSlot = {
      id,
      checks,
      renewing,
      everyMs,
      weight,
      renewAtMs,
      renewal: undefined,
      before: undefined,
      after: undefined,
    };
    if (this.#isClosed) return slot;
    this.#held.set(id, slot);
    for (const recorder of recordersOf(slot)) recorder.slotTaken();
    getOrCreate(this.#queues, everyMs, () => new RenewalQueue()).add(slot);
    if (IS_REQUEST_BOUND) this.#renewAlone(slot);
    else this.#sleepUntil(renewAtMs);
    return slot;
  }

  /**
   * Renews a slot no more. Free it in the store when the result is there: a renewal that is under way would else take the slot
   * again, if the store gets it later.
   */
  release(id: string): Eventual<void> {
    const slot = this.handOver(id);
    return slot && whenReady(slot.renewal, () => this.freed(slot.checks));
  }

  /**
   * Tells the listeners that a slot with these checks is freed: one of this store, or one that was taken in the memory of this process
   * while the store was away.
   */
  readonly freed = (checks: readonly LimitCheck[]): void => {
    this.#releases += 1;
    for (const listener of this.#listeners) listener(checks);
  };

  /** Renews a slot no more, because another process may free it. Its lease ends by itself. Returns the slot, if it is held. */
  handOver(id: string): HeldSlot | undefined {
    const slot = this.#held.get(id);
    if (slot) this.#forget(slot);
    // A sleep without held slots would keep the process alive. Waking once too early costs little.
    if (this.#held.size === 0) this.#stopSleeping();
    return slot;
  }

  /**
   * Holds the slots of a policy under its new limits, and renews them at once: with another lease, their renewal could
   * come too late.
   */
  changeLimits(policy: string, changed: LimitChange): void {
    for (const slot of [...this.#held.values()]) {
      const checks = slot.checks.map((check) => (check.policy === policy ? changed(check) : check));
      if (checks.every((check, i) => check === slot.checks[i])) continue;
      this.#forget(slot);
      this.#renew(this.hold(slot.id, checks, slot.renewing));
    }
  }

  /**
   * How many slots were released in this process so far. Read it before you ask for a slot, and compare it after a
   * refusal.
   */
  get releases(): number {
    return this.#releases;
  }

  /** Calls `listener` with the checks of each slot that is freed, just before the store is told, until `unsubscribe`. */
  subscribe(listener: (checks: readonly LimitCheck[]) => void): void {
    this.#listeners.add(listener);
  }

  unsubscribe(listener: (checks: readonly LimitCheck[]) => void): void {
    this.#listeners.delete(listener);
  }

  /** A closed store has no slots any more: their leases end by themselves. */
  #close(): void {
    this.#isClosed = true;
    for (const slot of [...this.#held.values()]) this.#forget(slot);
    this.#stopSleeping();
  }

  #forget(slot: HeldSlot): void {
    this.#held.delete(slot.id);
    for (const recorder of recordersOf(slot)) recorder.slotFreed();
    slot.alone?.end();
    const queue = this.#queues.get(slot.everyMs) as RenewalQueue;
    queue.remove(slot);
    if (!queue.first) this.#queues.delete(slot.everyMs);
  }

  /** Renews a slot while its request runs. Nobody is told when a request has ended, so slots are forgotten whose leases are over. */
  #renewAlone(slot: HeldSlot): void {
    const { clock } = this.#store;
    const sleeper = sleeperOn(clock, () => {
      slot.renewAtMs = clock.now() + slot.everyMs;
      sleeper.begin(slot.everyMs);
      this.#renew(slot);
    });
    sleeper.begin(slot.everyMs);
    slot.alone = sleeper;
    for (const lost of this.#held.values()) if (clock.now() > lost.renewAtMs + 2 * lost.everyMs) this.#forget(lost);
  }

  #sleepUntil(nextMs: number): void {
    if (this.#wakesAtMs <= nextMs) return;
    this.#wakesAtMs = nextMs;
    this.#sleeper.begin(Math.max(0, nextMs - this.#store.clock.now()));
  }

  #stopSleeping(): void {
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    this.#sleeper.end();
  }

  #woken(): void {
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    this.#renewDue();
  }

  /** The earliest time at which a slot is due. */
  #nextRenewalMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { first } of this.#queues.values()) nextMs = Math.min(nextMs, (first as HeldSlot).renewAtMs);
    return nextMs;
  }

  /** Renews the slots that are due, as many as may run at the same time. The rest follows soon. */
  #renewDue(): void {
    const nowMs = this.#store.clock.now();
    this.#isBehind = false;
    let leftToBegin = this.#store.async ? MOST_UNDER_WAY - this.#underWay : MOST_PER_WAKE;
    // If not all can be renewed at the same time, short leases come first.
    for (const [, queue] of [...this.#queues].sort(([one], [other]) => one - other)) {
      for (let slot = queue.first; slot && isDue(slot, nowMs); slot = queue.first) {
        if (leftToBegin <= 0) {
          this.#fallBehind(nowMs);
          return;
        }
        leftToBegin -= slot.weight;
        queue.remove(slot);
        slot.renewAtMs = nowMs + slot.everyMs;
        queue.add(slot);
        this.#renew(slot);
      }
    }
    if (this.#held.size > 0) this.#sleepUntil(this.#nextRenewalMs());
  }

  /** Continues when replies have arrived, or after other work had its turn. */
  #fallBehind(nowMs: number): void {
    if (this.#store.async) this.#isBehind = true;
    else this.#sleepUntil(nowMs + 1);
  }

  #renew(slot: HeldSlot): void {
    const { id, checks, renewing, weight } = slot;
    let renewal: Eventual<void>;
    const ended = (): void => {
      this.#underWay -= weight;
      if (slot.renewal === renewal) slot.renewal = undefined;
      if (this.#isBehind && this.#underWay <= MOST_UNDER_WAY / 2) this.#renewDue();
    };
    this.#underWay += weight;
    const ask = (renew: Renewing['renew']) => this.#store.consume({ checks, id, ...renewing, renew });
    // A renewal that the store gets after somebody has freed the slot must not take it again: another process may do that.
    const attempt = () =>
      whenReady(ask('held'), ({ allowed, verdicts }) => {
        const isShared = renewing.renew === 'held';
        const isLost = verdicts.some((verdict) => !verdict.allowed);
        const retaken = isLost && !isShared && this.#held.get(id) === slot ? ask(true) : undefined;
        return whenReady<unknown, void>(retaken, () => {
          ended();
          // Another holder of the slot has freed it.
          if (isShared && !allowed) this.handOver(id);
        });
      });
    renewal = recover(attempt, (error) => {
      ended();
      // A closed store has no slots any more. After another failure the renewal is tried again at the next third; the
      // lease outlives two failures.
      if (isMistake(error)) void this.release(id);
      else publishStoreError(checks, error);
    });
    if (isPromise(renewal)) slot.renewal = renewal;
  }
}

/** Returns the counts of the limits of a slot. Those of guaranteed parts are in it. */
function recordersOf({ checks }: HeldSlot): readonly LimitRecorder[] {
  const own = checks.filter(({ itemName }) => itemName === undefined);
  return own.map(({ policy, name }) => policyRecorder(policy).limitSoFar(name));
}

/** Whether a slot is due. A time too far in the future was set, or is read, by a wrong clock. */
function isDue({ renewAtMs, everyMs }: HeldSlot, nowMs: number): boolean {
  const restMs = renewAtMs - nowMs;
  return restMs <= everyMs * EARLY || restMs > everyMs;
}

const renewers = new WeakMap<Store, LeaseRenewer>();

/** Returns the renewer of a store's slots. All limiters on the store share it. */
export function leaseRenewerOf(store: Store): LeaseRenewer {
  return getOrCreate(renewers, store, () => new LeaseRenewer(store));
}
