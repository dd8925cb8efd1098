// Why it is so: docs/why/operations.md

import { keyspacesOf } from '../../stores/keyspace.js';
import type { Store } from '../../stores/store.js';
import { afterInput, type Sleeper, sleeperOn } from '../../values/clock.js';
import { type Eventual, isPromise, recover, whenReady } from '../../values/eventual.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { IS_REQUEST_BOUND } from '../../values/request-bound.js';
import { type Due, DueHeap } from '../due-heap.js';

/** How many reservations end before other work gets its turn, and the most corrections that run at the same time. */
const MOST_AT_ONCE = 256;

/** A reservation that ends by itself. */
export interface Expiry extends Due {
  readonly afterMs: number;
  /** Corrects the charge. The engine that corrects also reports failures of the store. */
  readonly end: () => Eventual<void>;
  /** Sleeps for this reservation alone, in a Worker. */
  alone?: Sleeper;
}

/**
 * Ends the reservations of one store, with a single sleep on its clock. A reservation that is settled in time costs two
 * steps in a heap. The sleep does not keep the process alive, and ends when the store is closed. In a Worker, each reservation has a timer of
 * its own, which ends with its request.
 */
class ExpiryTimer {
  readonly #store: Store;
  readonly #heap = new DueHeap<Expiry>();
  #underWay = 0;
  #isBehind = false;
  #isClosed = false;
  #sleep: { readonly untilMs: number; readonly wake: AbortController } | undefined;

  constructor(store: Store) {
    this.#store = store;
    for (const keyspace of keyspacesOf(store)) keyspace.whenClosed(() => this.#close());
  }

  /** Ends a reservation after `afterMs` milliseconds. */
  add(afterMs: number, end: () => Eventual<void>): Expiry {
    const expiry: Expiry = { dueMs: this.#store.clock.now() + afterMs, afterMs, end, index: -1 };
    if (this.#isClosed) return expiry;
    if (IS_REQUEST_BOUND) {
      expiry.alone = sleeperOn(this.#store.clock, () => this.#end(expiry));
      expiry.alone.begin(afterMs);
      return expiry;
    }
    this.#heap.add(expiry);
    this.#sleepUntil(expiry.dueMs);
    return expiry;
  }

  /**
   * Call it when a reservation was settled or cancelled. A sleep that is now too short is not changed: it costs one
   * wake-up.
   */
  remove(expiry: Expiry): void {
    expiry.alone?.end();
    this.#heap.remove(expiry);
  }

  #sleepUntil(nextMs: number): void {
    if (this.#sleep && this.#sleep.untilMs <= nextMs) return;
    this.#sleep?.wake.abort();
    const sleep = { untilMs: nextMs, wake: new AbortController() };
    this.#sleep = sleep;
    const { clock } = this.#store;
    const woken = (): void => {
      if (this.#sleep !== sleep) return;
      this.#sleep = undefined;
      this.#endDue();
    };
    const failed = (): void => {
      if (this.#sleep === sleep) this.#sleep = undefined;
    };
    clock.sleep(Math.max(0, nextMs - clock.now()), sleep.wake.signal, { unref: true }).then(woken, failed);
  }

  #endDue(): void {
    this.#isBehind = false;
    const nowMs = this.#store.clock.now();
    for (let left = MOST_AT_ONCE - this.#underWay; ; left -= 1) {
      const first = this.#heap.first;
      if (!first) return;
      const restMs = first.dueMs - nowMs;
      if (restMs > first.afterMs) {
        // A wrong clock set this time, or reads it now.
        first.dueMs = nowMs + first.afterMs;
        this.#heap.moved(first);
      } else if (restMs > 0) {
        this.#sleepUntil(first.dueMs);
        return;
      } else if (left <= 0) {
        this.#fallBehind();
        return;
      } else {
        this.#heap.remove(first);
        this.#end(first);
      }
    }
  }

  /** Continues when replies have arrived, or after other work had its turn. */
  #fallBehind(): void {
    this.#isBehind = true;
    if (this.#underWay === 0) afterInput(() => this.#endDue(), { unref: true });
  }

  #end({ end }: Expiry): void {
    // An error that is no store failure means that the store is closed. Then nothing is given back.
    const answer = recover(end, () => undefined);
    if (!isPromise(answer)) return;
    this.#underWay += 1;
    whenReady(answer, () => {
      this.#underWay -= 1;
      if (this.#isBehind && this.#underWay <= MOST_AT_ONCE / 2) this.#endDue();
    });
  }

  #close(): void {
    this.#isClosed = true;
    this.#heap.clear();
    this.#sleep?.wake.abort();
    this.#sleep = undefined;
  }
}

export type { ExpiryTimer };

const timers = new WeakMap<Store, ExpiryTimer>();

/** Returns the timer for the reservations of a store. All limiters on the store share it. */
export function expiryTimerOf(store: Store): ExpiryTimer {
  return getOrCreate(timers, store, () => new ExpiryTimer(store));
}
