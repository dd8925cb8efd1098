import type { Eventual } from '../../values/eventual.js';
import type { PolicyRecorder } from '../../values/policy-recorder.js';
import { AbortGroups } from './abort-groups.js';
import type { Waiter } from './flow.js';

/** The recorder of waits, and the clock that measures them. */
interface WaitRecording {
  readonly recorder: PolicyRecorder;
  readonly nowMs: () => number;
}

/** Those who wait in a line, in the order in which they began to wait, and their results. */
export class WaiterList<A, R> {
  readonly #waiters = new Set<Waiter<A, R>>();
  readonly #aborts: AbortGroups<Waiter<A, R>>;
  readonly #recording: WaitRecording;

  /** @param aborted - called when the signal of a listed waiter aborts */
  constructor(aborted: (waiter: Waiter<A, R>, reason: unknown) => void, recording: WaitRecording) {
    this.#recording = recording;
    this.#aborts = new AbortGroups(aborted);
  }

  get length(): number {
    return this.#waiters.size;
  }

  /** How long the oldest has waited, in milliseconds; 0 if none waits. */
  oldestMs(nowMs: number): number {
    const [oldest] = this.#waiters;
    return oldest ? Math.max(0, nowMs - oldest.arrivedMs) : 0;
  }

  /** The oldest that is neither admitted nor asking. */
  get oldestQueued(): Waiter<A, R> | undefined {
    for (const waiter of this.#waiters) if (waiter.state === 'queued') return waiter;
    return undefined;
  }

  /** All of them. They may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Waiter<A, R>> {
    return this.#waiters.values();
  }

  /** Lists a waiter, if it is not listed. */
  add(waiter: Waiter<A, R>): void {
    if (waiter.isListed) return;
    waiter.isListed = true;
    this.#waiters.add(waiter);
    this.#recording.recorder.waiting += 1;
    this.#aborts.add(waiter);
  }

  /** Ends a wait with a reservation; undefined if the request is skipped. */
  resolve(waiter: Waiter<A, R>, reservation: R | undefined): void {
    this.#remove(waiter);
    if (waiter.promise) waiter.promise.resolve(reservation);
    else waiter.reservation = reservation;
  }

  reject(waiter: Waiter<A, R>, reason: unknown): void {
    this.#remove(waiter);
    if (waiter.promise) waiter.promise.reject(reason);
    else waiter.ended = { reason };
  }

  /** The result of a waiter: a promise if it waits. */
  resultOf(waiter: Waiter<A, R>): Eventual<R | undefined> {
    if (waiter.state !== 'done') {
      return new Promise((resolve, reject) => {
        waiter.promise = { resolve, reject };
      });
    }
    if (waiter.ended) throw waiter.ended.reason;
    return waiter.reservation;
  }

  #remove(waiter: Waiter<A, R>): void {
    waiter.state = 'done';
    if (!waiter.isListed) return;
    waiter.isListed = false;
    this.#waiters.delete(waiter);
    const { recorder, nowMs } = this.#recording;
    recorder.waiting -= 1;
    recorder.waits.add(Math.max(0, nowMs() - waiter.arrivedMs));
    this.#aborts.remove(waiter);
  }
}
