import { whenSettled } from '../../values/eventual.js';
import type { Args } from '../policy/options.js';
import type { ReplaceableEngine } from '../replaceable-engine.js';
import type { GrantedReservation } from '../reservation.js';
import type { Dispatcher } from './dispatcher.js';
import type { Ended, Flow, Waiter } from './flow.js';
import { refusedInLine } from './refusals.js';
import type { WaiterList } from './waiter-list.js';

/** Where a waiter may be, and has to be taken from. */
interface Places<A, R> {
  readonly dispatcher: Dispatcher<A, R>;
  readonly waiters: WaiterList<A, R>;
  readonly wakeUps: { remove(waiter: Waiter<A, R>): void };
}

/**
 * Ends the waits of a line: each with a reservation, a refusal or a reason, and only once. A waiter that ends keeps no
 * units, no place and no timer.
 */
export class Endings<A extends Args, R extends GrantedReservation> {
  readonly #engine: ReplaceableEngine<A, R>;
  readonly #places: Places<A, R>;
  #closed: Ended | undefined;

  constructor(engine: ReplaceableEngine<A, R>, places: Places<A, R>) {
    this.#engine = engine;
    this.#places = places;
  }

  /** Refuses all further requests with this reason. */
  close(reason: unknown): void {
    this.#closed ??= { reason };
  }

  /** Why nobody with this signal must be admitted any more; undefined if they may be. */
  endOf(signal: AbortSignal | undefined): Ended | undefined {
    return this.#closed ?? (signal?.aborted ? { reason: signal.reason } : undefined);
  }

  /** Ends the wait of a listed waiter. If the store is being asked, it ends when the answer is there. */
  end(waiter: Waiter<A, R>, reason: unknown): void {
    const { state, reservation } = waiter;
    const { dispatcher } = this.#places;
    if (state === 'asking') waiter.ended ??= { reason };
    else if (state === 'delayed') this.cancel(waiter, reservation, () => this.reject(waiter, reason));
    else if (state === 'queued') {
      dispatcher.dequeue(waiter);
      this.reject(waiter, reason);
      dispatcher.serve();
    }
  }

  /** Refuses a waiter that is too late, and that is in no queue. */
  refuseInLine(waiter: Waiter<A, R>): void {
    const waitsMs = (waiter.flow as Flow<A, R>).waitsMs(waiter, this.#engine.store.clock.now());
    waiter.state = 'asking';
    whenSettled(
      () => this.#engine.current.peekChecks(waiter.checks),
      (decision) => {
        const ended = waiter.ended ?? this.endOf(waiter.signal);
        if (ended) this.reject(waiter, ended.reason);
        else this.resolve(waiter, this.#engine.current.empty(refusedInLine(decision, waitsMs)));
      },
      (error) => this.reject(waiter, error),
    );
  }

  /** Gives back what a waiter was charged. */
  cancel(waiter: Waiter<A, R>, reservation: R | undefined, then: () => void): void {
    waiter.state = 'asking';
    whenSettled(
      () => reservation?.cancel(),
      then,
      (error) => this.reject(waiter, error),
    );
  }

  /** Ends a wait with a reservation or a refusal; undefined if the request is skipped. */
  resolve(waiter: Waiter<A, R>, reservation: R | undefined): void {
    this.#release(waiter);
    this.#places.waiters.resolve(waiter, reservation);
  }

  reject(waiter: Waiter<A, R>, reason: unknown): void {
    this.#release(waiter);
    this.#places.waiters.reject(waiter, reason);
  }

  #release(waiter: Waiter<A, R>): void {
    this.#places.dispatcher.leave(waiter);
    this.#places.wakeUps.remove(waiter);
  }
}
