import { isMistake } from '../error.js';
import { getOrMake } from '../get-or-make.js';
import type { Check, Store } from '../store.js';
import { tellOfFailure } from '../store-failure.js';
import { recover, whenReady } from './answer.js';

/** A slot, or several under one id, held by a request that is under way. */
interface Held {
  readonly id: string;
  readonly checks: readonly Check[];
  readonly everyMs: number;
  renewAtMs: number;
}

/** Renews the leases of held slots at a third of their length, with one sleep on the store's clock for all of them. */
class SlotKeeper {
  readonly #store: Store;
  readonly #held = new Map<string, Held>();
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
    this.#held.set(id, { id, checks, everyMs, renewAtMs });
    this.#sleepUntil(renewAtMs);
  }

  release(id: string): void {
    if (!this.#held.delete(id)) return;
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
        if (this.#held.size > 0) this.#sleepUntil(this.#nextRenewalMs());
      },
      () => {},
    );
  }

  #stopSleeping(): void {
    this.#sleep?.wake.abort();
    this.#sleep = undefined;
  }

  #nextRenewalMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { renewAtMs } of this.#held.values()) nextMs = Math.min(nextMs, renewAtMs);
    return nextMs;
  }

  #renewDue(): void {
    const nowMs = this.#store.clock.now();
    for (const held of this.#held.values()) {
      const restMs = held.renewAtMs - nowMs;
      // One that is further off than it ever is was set, or is read now, by a clock that was wrong.
      if (restMs > 0 && restMs <= held.everyMs) continue;
      held.renewAtMs = nowMs + held.everyMs;
      this.#renew(held);
    }
  }

  #renew({ id, checks }: Held): void {
    const attempt = () => whenReady(this.#store.consume({ checks, id, renew: true }), () => {});
    recover(attempt, (error) => {
      // A closed store holds nothing any more. Another failure is tried again at the next third; the lease outlives two
      // of them.
      if (isMistake(error)) this.release(id);
      else tellOfFailure(checks, error);
    });
  }
}

const keepers = new WeakMap<Store, SlotKeeper>();

/** The one keeper of a store's slots: all limiters over the store share it. */
export function slotKeeperOf(store: Store): SlotKeeper {
  return getOrMake(keepers, store, () => new SlotKeeper(store));
}
