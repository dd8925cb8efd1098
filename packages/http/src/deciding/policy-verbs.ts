import { type BlockVerbs, blockVerbs } from '@sluice/core/src/limiter/blocks';
import type { Charge } from '@sluice/core/src/limiter/charge';
import type { ChargeCorrection } from '@sluice/core/src/limiter/charge-correction';
import type { Args } from '@sluice/core/src/limiter/policy/options';
import type { ReplaceableEngine } from '@sluice/core/src/limiter/replaceable-engine';
import type { GrantedReservation, Reservation } from '@sluice/core/src/limiter/reservation';
import {
  type OperationSpend,
  operationOptions,
  type ReserveSpend,
  reserveOptions,
  type Spend,
} from '@sluice/core/src/limiter/spend-options';
import type { ChangeResult } from '@sluice/core/src/stores/store';
import type { Decision } from '@sluice/core/src/values/decision';
import { type Eventual, whenReady } from '@sluice/core/src/values/eventual';
import type { Key } from '@sluice/core/src/values/key';

/** A method of a policy's handle. It rejects as requests would fail. */
interface PolicyVerb<A extends Args, T, Options extends Spend = OperationSpend> {
  /**
   * Uses a key in every limit of the policy: `peek(ipKey('203.0.113.7'))`. Rejects with `SLUICE_UNSUPPORTED` if a limit
   * or a cost is a function, because a function needs a request.
   */
  (key: Key, options?: Options): Promise<T>;
  /** Uses a request, by the arguments that callbacks get. Address lists are ignored. */
  (...args: A): Promise<T>;
}

/** Returns the decision that a request, or a key, would get, without spending anything. */
type Peek<A extends Args> = PolicyVerb<A, Decision>;

/** The methods of a policy's handle. They set no header fields, send no responses and call no hooks: you do that. */
export interface PolicyVerbs<A extends Args> extends BlockVerbs<true> {
  /** Returns the decision that a request, or a key, would get, without spending anything. */
  readonly peek: Peek<A>;
  /**
   * Decides about a request, or a key, and spends if every limit allows. Use it to count calls that do not pass a
   * middleware. To correct the cost later, use `reserve`. If the policy has a concurrency limit, it rejects with
   * `SLUICE_UNSUPPORTED`, because the slot has to be freed.
   */
  readonly consume: PolicyVerb<A, Decision>;
  /**
   * Decides like `consume`. You can correct the result once with `settle` or `cancel`, which also free a slot. With a
   * key, it can end by itself: `reserve(key, { expires: '1m', onExpiry: 'giveBack' })`.
   */
  readonly reserve: PolicyVerb<A, Reservation, ReserveSpend>;
  /**
   * Corrects a charge that is given as data, also one of another process: see `chargeOf`, and `correct` of a limiter. Resolves
   * with `'applied'`, `'repeated'` or `'expired'`.
   */
  correct(charge: Charge, correction: ChargeCorrection): Promise<ChangeResult>;
}

type ByKey<Options> = [key: Key, options?: Options | undefined];

/** Makes the methods of a policy's handle. */
export function policyVerbs<A extends Args>(engine: ReplaceableEngine<A>): PolicyVerbs<A> {
  const outcome = (reservation: GrantedReservation | undefined): Reservation =>
    (reservation ?? engine.current.empty()) as Reservation<boolean> as Reservation;
  const { block, unblock, blocked, inspect } = blockVerbs(engine);
  return {
    block: async (...args) => block(...args),
    unblock: async (key) => unblock(key),
    blocked: async (options) => blocked(options),
    inspect: async (...args) => inspect(...args),
    correct: async (charge, correction) => engine.changes.correct(charge, correction),
    peek: verb(
      (args) => engine.current.peek(args),
      (key, options) => {
        const { cost, operation } = operationOptions(options);
        return engine.byKey.peek([key], cost, operation);
      },
    ),
    consume: verb(
      (args) => engine.current.consume(args),
      (key, options) => {
        const { cost, operation } = operationOptions(options);
        return engine.byKey.consume([key], cost, operation);
      },
    ),
    reserve: verb(
      (args) => whenReady(engine.current.reserve(args), outcome),
      (key, options) => {
        const { cost, operation, expiring } = reserveOptions(options);
        return whenReady(engine.byKey.reserve([key], cost, operation), (reservation) =>
          outcome(reservation?.expire(expiring)),
        );
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

/**
 * Whether the arguments are a key. A framework's request is an object and no list. If the argument is missing, the key
 * is missing.
 */
function isByKey<A extends Args, Options>(who: A | ByKey<Options>): who is ByKey<Options> {
  const [first] = who;
  return typeof first !== 'object' || first === null || Array.isArray(first);
}
