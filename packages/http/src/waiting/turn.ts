import type { Clock } from '@sluice/core/src/values/clock';
import type { Eventual } from '@sluice/core/src/values/eventual';
import type { HttpGrantedReservation } from '../request/http-reservation.js';
import type { RequestPolicies } from '../request/request-policies.js';
import type { DelayedRequests } from './delayed-requests.js';

/** Waits for the turn of a request. Resolves with false if the request has to give way, and rejects if its client leaves. */
type Wait = (gone: AbortSignal) => Promise<boolean>;

/** Why a wait ends if another request gets the place. */
const GAVE_WAY = Symbol('it gave way');

interface WaitingRequest {
  readonly reservation: HttpGrantedReservation;
  readonly policies: RequestPolicies;
}

/**
 * Lets an admitted request wait for its turn: it has not begun until then. If the wait is given up, its charges are given back.
 * Returns undefined if enough others wait.
 *
 * @param delayed - the requests among which it waits; undefined if it waits alone, but for a leaky bucket
 * @param refuse - returns what is to be done with a request that has to give way
 */
export function turnOf<Refused>(
  { reservation, policies }: WaitingRequest,
  clock: Clock,
  delayed: DelayedRequests | undefined,
  refuse: () => Eventual<Refused>,
): ((gone: AbortSignal) => Promise<Refused | undefined>) | undefined {
  const wait = delayed ? waitAmong(delayed, clock, reservation) : waitAlone(clock, reservation);
  if (!wait) return undefined;
  policies.isWaiting = true;
  return async (gone) => {
    try {
      if (!(await wait(gone))) return refuse();
    } catch (reason) {
      await policies.cancel();
      throw reason;
    }
    policies.isWaiting = false;
    return undefined;
  };
}

function waitAlone(clock: Clock, { delayMs }: HttpGrantedReservation): Wait {
  return (gone) => clock.sleep(delayMs, gone).then(() => true);
}

/** Takes a place among the requests that wait; undefined if there is none. */
function waitAmong(
  delayed: DelayedRequests,
  clock: Clock,
  { delayMs, keys }: HttpGrantedReservation,
): Wait | undefined {
  const over = new AbortController();
  const end = delayed.add({ delayMs, keys, giveWay: () => over.abort(GAVE_WAY) });
  if (!end) return undefined;
  return async (gone) => {
    const leave = (): void => over.abort(gone.reason);
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
    try {
      await clock.sleep(delayMs, over.signal);
      return true;
    } catch (reason) {
      if (over.signal.reason !== GAVE_WAY) throw reason;
      return false;
    } finally {
      gone.removeEventListener('abort', leave);
      end();
    }
  };
}
