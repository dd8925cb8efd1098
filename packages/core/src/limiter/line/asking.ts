import type { LimitCheck } from '../../stores/store.js';
import { type Eventual, whenReady } from '../../values/eventual.js';
import type { Engine } from '../engine.js';
import type { Args } from '../policy/options.js';
import type { GrantedReservation } from '../reservation.js';

/** The parts of a waiter that a request needs. */
interface Asking<A> {
  readonly args: A;
  readonly cost: number | undefined;
  checks: readonly LimitCheck[];
}

/**
 * Reserves for a waiter, if its turn would come in time. A leaky bucket gives nothing back, so the request peeks first.
 * With a synchronous store nothing happens between the two steps. With another store, other requests may come between.
 * Undefined if it is skipped now.
 *
 * @param isFresh - whether its checks were just made. Otherwise they are made anew, because tiers, load and calendar
 * intervals change
 */
export function reserveInTime<A extends Args, R extends GrantedReservation>(
  engine: Engine<A, R>,
  waiter: Asking<A>,
  leftMs: number,
  isFresh: boolean,
): Eventual<R | undefined> {
  const reserve = (checks: readonly LimitCheck[] | undefined): Eventual<R | undefined> => {
    if (!checks) return engine.notCounted('skip');
    waiter.checks = checks;
    const granted = (): Eventual<R> => engine.reserveChecks(checks);
    if (leftMs === Number.POSITIVE_INFINITY || !engine.mayDelay) return granted();
    return whenReady(engine.peekChecks(checks), (peeked) =>
      peeked.allowed && peeked.delayMs > leftMs ? engine.empty(peeked) : granted(),
    );
  };
  return isFresh ? reserve(waiter.checks) : whenReady(engine.checks(waiter.args, waiter.cost), reserve);
}
