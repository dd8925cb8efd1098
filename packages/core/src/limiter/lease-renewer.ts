import type { Check, Store } from '../stores/store.js';
import { publishStoreError } from '../stores/store-failure.js';
import { isMistake } from '../values/error.js';
import { recover, whenReady } from '../values/eventual.js';
import { getOrCreate } from '../values/get-or-create.js';
import { type HeldSlot, RenewalQueue } from './renewal-queue.js';

/** Slots that become due within this part of a period are renewed together, so that few wakes serve many slots. */
const EARLY = 1 / 64;

/** How much one wake renews over a store that answers at once: some milliseconds of work. */
const MOST_PER_WAKE = 256;

/** The most weight under way in an asynchronous store, so that no renewal has to wait for longer than its deadline. */
const MOST_UNDER_WAY = 1024;

/** A renewal reads all slots of its key. So many of them take as long again as the rest of it. */
const SLOTS_PER_UNIT = 64;

/**
 * Renews the leases of held slots at a third of their length, with one sleep on the store's clock for all of them. A
 * wake costs what it renews: slots that are not due yet cost nothing.
 */
class LeaseRenewer {
  readonly #store: Store;
  readonly #held = new Map<string, HeldSlot>();
  /** By the length of the period. There are as many as there are leases of different length. */
  readonly #queues = new Map<number, RenewalQueue>();
  /** The weight of the renewals that are not answered yet. */
  #underWay = 0;
  /** Whether slots are due that wait for renewals to be answered. */
  #isBehind = false;
  #sleep: { readonly untilMs: number; readonly wake: AbortController } | undefined;

  /** Those who wait for a slot to be freed. */
  readonly #waiting = new Set<() => void>();
  #releases = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  hold(id: string, checks: readonly Check[]): void {
    const everyMs = Math.floor(Math.min(...checks.map(({ limit }) => limit.leaseMs as number)) / 3);
    const renewAtMs = this.#store.clock.now() + everyMs;
    const weight = checks.reduce((sum, { limit }) => sum + Math.floor(limit.quota / SLOTS_PER_UNIT), 1);
    const slot: HeldSlot = { id, checks, everyMs, weight, renewAtMs, before: undefined, after: undefined };
    this.#held.set(id, slot);
    getOrCreate(this.#queues, everyMs, () => new RenewalQueue()).add(slot);
    this.#sleepUntil(renewAtMs);
  }

  release(id: string): void {
    const slot = this.#held.get(id);
    if (!slot) return;
    this.#held.delete(id);
    const queue = this.#queues.get(slot.everyMs) as RenewalQueue;
    queue.remove(slot);
    if (!queue.first) this.#queues.delete(slot.everyMs);
    this.#releases += 1;
    for (const wake of this.#waiting) wake();
    // Sleeping on while nothing is held would keep the process alive; waking once too early costs one look.
    if (this.#held.size === 0) this.#stopSleeping();
  }

  /** How many slots were released here so far: what one who asks for a slot remembers before the asking. */
  get releases(): number {
    return this.#releases;
  }

  /**
   * Resolves when there are more releases than those, which may be now, or after `atMostMs`; rejects with the signal's
   * reason when it aborts.
   */
  async released(releases: number, atMostMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#releases > releases) return;
    signal?.throwIfAborted();
    const sleep = new AbortController();
    const wake = (): void => sleep.abort();
    this.#waiting.add(wake);
    // AbortSignal.any() would leave something of each wait on a signal that outlives it.
    signal?.addEventListener('abort', wake);
    try {
      await this.#store.clock.sleep(atMostMs, sleep.signal);
    } catch (reason) {
      signal?.throwIfAborted();
      if (!sleep.signal.aborted) throw reason;
    } finally {
      this.#waiting.delete(wake);
      signal?.removeEventListener('abort', wake);
    }
  }

  #sleepUntil(nextMs: number): void {
    if (this.#sleep && this.#sleep.untilMs <= nextMs) return;
    this.#stopSleeping();
    const sleep = { untilMs: nextMs, wake: new AbortController() };
    this.#sleep = sleep;
    const { clock } = this.#store;
    clock.sleep(Math.max(0, nextMs - clock.now()), sleep.wake.signal).then(
      () => {
        if (this.#sleep !== sleep) return;
        this.#sleep = undefined;
        this.#renewDue();
      },
      () => {},
    );
  }

  #stopSleeping(): void {
    this.#sleep?.wake.abort();
    this.#sleep = undefined;
  }

  /** The earliest time at which a slot is due. */
  #nextRenewalMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { first } of this.#queues.values()) nextMs = Math.min(nextMs, (first as HeldSlot).renewAtMs);
    return nextMs;
  }

  /** Renews what is due, as much of it as may be renewed at once; what is left follows soon. */
  #renewDue(): void {
    const nowMs = this.#store.clock.now();
    this.#isBehind = false;
    let room = this.#store.async ? MOST_UNDER_WAY - this.#underWay : MOST_PER_WAKE;
    // Where not all can be renewed at once, short leases cannot wait for long ones.
    for (const [, queue] of [...this.#queues].sort(([one], [other]) => one - other)) {
      for (let slot = queue.first; slot && isDue(slot, nowMs); slot = queue.first) {
        if (room <= 0) {
          this.#fallBehind(nowMs);
          return;
        }
        room -= slot.weight;
        queue.remove(slot);
        slot.renewAtMs = nowMs + slot.everyMs;
        queue.add(slot);
        this.#renew(slot);
      }
    }
    if (this.#held.size > 0) this.#sleepUntil(this.#nextRenewalMs());
  }

  /** Goes on when answers have come, or lets others have their turn first. */
  #fallBehind(nowMs: number): void {
    if (this.#store.async) this.#isBehind = true;
    else this.#sleepUntil(nowMs + 1);
  }

  #renew({ id, checks, weight }: HeldSlot): void {
    const ended = (): void => {
      this.#underWay -= weight;
      if (this.#isBehind && this.#underWay <= MOST_UNDER_WAY / 2) this.#renewDue();
    };
    this.#underWay += weight;
    const attempt = () => whenReady(this.#store.consume({ checks, id, renew: true }), ended);
    recover(attempt, (error) => {
      ended();
      // A closed store holds nothing any more. Another failure is tried again at the next third; the lease outlives two
      // of them.
      if (isMistake(error)) this.release(id);
      else publishStoreError(checks, error);
    });
  }
}

/** One that is further off than it ever is was set, or is read now, by a clock that was wrong. */
function isDue({ renewAtMs, everyMs }: HeldSlot, nowMs: number): boolean {
  const restMs = renewAtMs - nowMs;
  return restMs <= everyMs * EARLY || restMs > everyMs;
}

const keepers = new WeakMap<Store, LeaseRenewer>();

/** The one keeper of a store's slots: all limiters over the store share it. */
export function leaseRenewerOf(store: Store): LeaseRenewer {
  return getOrCreate(keepers, store, () => new LeaseRenewer(store));
}
