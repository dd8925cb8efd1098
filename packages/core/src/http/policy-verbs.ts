import type { Engine } from '../limiter/engine.js';
import { costOf, type ReserveSpend, reserveOptions, type Spend } from '../limiter/limiter.js';
import type { Args } from '../limiter/policy/options.js';
import type { GrantedReservation, Reservation } from '../limiter/reservation.js';
import type { Decision } from '../values/decision.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import type { Key } from '../values/key.js';

/** A verb of a policy's handle. It rejects as requests would fail, and with `SLUICE_UNSUPPORTED` as told below. */
export interface PolicyVerb<A extends Args, T, Options extends Spend = Spend> {
  /**
   * About a key in every limit of the policy: `peek(ipKey('203.0.113.7'))`. A limit or a cost that is a function of the
   * request cannot be told of a key alone (`SLUICE_UNSUPPORTED`).
   */
  (key: Key, options?: Options): Promise<T>;
  /** About a request, by what callbacks get. Address lists are not asked. */
  (...args: A): Promise<T>;
}

/** Returns the decision that a request, or a key, would get, and spends nothing. */
export type Peek<A extends Args> = PolicyVerb<A, Decision>;

/** The verbs of a policy's handle. None of them sets a header field, answers a request or calls a hook: that is yours to do. */
export interface PolicyVerbs<A extends Args> {
  /** Returns the decision that a request, or a key, would get, and spends nothing. */
  readonly peek: Peek<A>;
  /**
   * Decides about a request, or a key, and spends if every limit allows. Use it to count what no middleware sees. To correct the
   * cost later use `reserve`. A policy with a limit of concurrency answers `SLUICE_UNSUPPORTED`: its slot has to be freed.
   */
  readonly consume: PolicyVerb<A, Decision>;
  /**
   * Decides as `consume` does. The answer can be corrected once by `settle` or `cancel`, which also free a slot. With a key, it
   * can end by itself: `reserve(key, { expires: '1m', onExpiry: 'giveBack' })`.
   */
  readonly reserve: PolicyVerb<A, Reservation, ReserveSpend>;
}

type ByKey<Options> = [key: Key, options?: Options | undefined];

/** The verbs of a policy's handle, by the engine that asks for the policy. */
export function policyVerbs<A extends Args>(engine: Engine<A>): PolicyVerbs<A> {
  const outcome = (reservation: GrantedReservation | undefined): Reservation =>
    (reservation ?? engine.empty(engine.skipped())) as Reservation<boolean> as Reservation;
  return {
    peek: verb(
      (args) => engine.peek(args),
      (key, options) => engine.peekAt(key, costOf(options)),
    ),
    consume: verb(
      (args) => engine.consume(args),
      (key, options) => engine.consumeAt(key, costOf(options)),
    ),
    reserve: verb(
      (args) => whenReady(engine.reserve(args), outcome),
      (key, options) => {
        const { cost, expiring } = reserveOptions(options);
        return whenReady(engine.reserveAt(key, cost), (reservation) => outcome(reservation?.expire(expiring)));
      },
    ),
  };
}

function verb<A extends Args, T, Options extends Spend>(
  byRequest: (args: A) => Eventual<T>,
  byKey: (key: Key, options: Options | Record<never, never>) => Eventual<T>,
): PolicyVerb<A, T, Options> {
  return async (...who: A | ByKey<Options>) => {
    if (!isByKey<A, Options>(who)) return byRequest(who);
    const [key, options = {}] = who;
    return byKey(key, options);
  };
}

/** A framework's request is an object, and no list. Whoever gives nothing is told that the key is missing. */
function isByKey<A extends Args, Options>(who: A | ByKey<Options>): who is ByKey<Options> {
  const [first] = who;
  return typeof first !== 'object' || first === null || Array.isArray(first);
}
