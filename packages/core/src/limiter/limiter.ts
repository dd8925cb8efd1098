import type { Answer, ChangeResult } from '../stores/store.js';
import type { Decision } from '../values/decision.js';
import { answering, type Eventual, whenReady } from '../values/eventual.js';
import type { Key } from '../values/key.js';
import { type BlockVerbs, blockVerbs } from './blocks.js';
import type { Charge } from './charge.js';
import type { ChargeCorrection } from './charge-correction.js';
import type { WaitingLine } from './line/waiting-line.js';
import { lineMaker } from './line-maker.js';
import type { ReplaceableEngine } from './replaceable-engine.js';
import type { GrantedReservation, Reservation } from './reservation.js';
import {
  costOf,
  type OperationSpend,
  operationOptions,
  type ReserveSpend,
  reserveOptions,
  type Spend,
  type Spending,
  type WaitSpend,
  waitOptions,
} from './spend-options.js';

/**
 * Decides about subjects by one policy. With a synchronous store, such as `MemoryStore`, its methods return values.
 * With an asynchronous store they return promises.
 *
 * Every method throws (or rejects with) `SLUICE_KEY` if the key is missing, `SLUICE_COST` if the cost is no safe
 * integer of at least 0, and any error that a function of the policy throws. Nothing is spent then.
 */
export interface Limiter<Subject = string, Async extends boolean = boolean> extends BlockVerbs<Async> {
  /** The name of the policy. */
  readonly name: string;
  /**
   * Decides at once, and spends if every limit allows. Use it to drop or refuse requests that are over the limit. To
   * sleep until the request is allowed, use `wait`. To correct the cost later, use `reserve`.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED` if the policy has a concurrency limit, whose slot has to be released
   */
  consume(subject: Subject, options?: OperationSpend): Answer<Decision, Async>;
  /** Returns the decision that this request would get, without spending anything. */
  peek(subject: Subject, options?: OperationSpend): Answer<Decision, Async>;
  /**
   * Decides like `consume`, and returns a reservation that you can correct once, when the real cost is known. It is
   * required for concurrency limits. Set `expires` if a worker may hang, or may forget to settle.
   */
  reserve(subject: Subject, options?: ReserveSpend): Answer<Reservation<Async>, Async>;
  /**
   * Waits until the limits allow the request, and for its turn in a leaky bucket. Then it resolves with the
   * reservation. For each key, the first comes first. To bound how many wait, use `createLine`.
   *
   * If the wait would be longer than `maxWait`, or would never end, it resolves with the refused reservation. If the
   * signal aborts, it rejects with the signal's reason. `expires` counts from the moment when it resolves.
   *
   * A program for a browser imports `@sluice/core/lines` once to have it. Everywhere else it is there.
   */
  wait(subject: Subject, options?: WaitSpend): Promise<Reservation<Async>>;
  /**
   * Gives units back, the newest first. Use it if you have no reservation to cancel. Slots and leaky buckets take
   * nothing back.
   *
   * Returns the state of the limits after that, from the same step: `allowed` says whether a request of cost 1 would be
   * allowed, and the `cost` of each verdict is 1. If the store fails, nothing is given back, and `onStoreError` decides
   * the result.
   */
  refund(subject: Subject, options?: Spend): Answer<Decision, Async>;
  /**
   * Spends units afterwards, even above the limit. Use it for a cost that you learn without a reservation.
   *
   * Returns the same as `refund`. If the store fails, `'local'` charges in this process; `'allow'` and `'deny'` charge
   * nothing.
   */
  charge(subject: Subject, options?: Spend): Answer<Decision, Async>;
  /**
   * Corrects a charge, as `settle` and `cancel` of its reservation do. It may have been made by another process with this
   * policy and this store; get it there with `chargeOf`. It is corrected once, until `charge.untilMs`; so repeat a call whose
   * reply was lost.
   *
   * Returns `'applied'`; `'repeated'` if it was corrected before; `'expired'` if none of its units count any more, or if it is
   * too late. If the policy was replaced meanwhile, the limits that were charged are corrected. A leaky bucket gives nothing
   * back.
   *
   * @throws SluiceError `SLUICE_OPTION` if the charge is not one of this policy, or the correction is wrong; `SLUICE_COST`;
   * `SLUICE_UNSUPPORTED` if the charge is in the memory of another process; `SLUICE_STORE` if the store fails. Nothing is
   * changed then, unless a response was lost.
   */
  correct(charge: Charge, correction: ChargeCorrection): Answer<ChangeResult, Async>;
  /**
   * Removes the states of a key in every limit of the policy, with blocks and slots. Returns whether there were any.
   * Rejects if the store fails.
   */
  reset(key: Key): Answer<boolean, Async>;
}

/** Makes the methods of a limiter. Options are read before the store is asked, so that a wrong option spends nothing. */
export function limiterOver<Subject>(engine: ReplaceableEngine<[Subject]>): Limiter<Subject> {
  const { async: isAsync } = engine.store;
  const verb = <T>(run: (args: [Subject], cost: number | undefined) => Eventual<T>) =>
    answering(isAsync, (subject: Subject, options?: Spend) =>
      run([subject], options === undefined ? undefined : costOf(options)),
    ) as (subject: Subject, options?: Spend) => Answer<T>;
  const operationVerb = (run: (args: [Subject], spending?: Spending) => Eventual<Decision>) =>
    answering(isAsync, (subject: Subject, options?: OperationSpend) =>
      run([subject], options === undefined ? undefined : operationOptions(options)),
    ) as (subject: Subject, options?: OperationSpend) => Answer<Decision>;
  const consume = (subject: Subject, options?: OperationSpend): Eventual<Decision> => {
    if (options === undefined) return engine.current.consume([subject]);
    const { cost, operation } = operationOptions(options);
    return engine.current.consume([subject], cost, operation);
  };
  const outcome = (reservation: GrantedReservation | undefined): GrantedReservation =>
    reservation ?? engine.current.empty();
  const reserve = (subject: Subject, options?: ReserveSpend): Eventual<GrantedReservation> => {
    if (options === undefined) return whenReady(engine.current.reserve([subject]), outcome);
    const { cost, operation, expiring } = reserveOptions(options);
    return whenReady(engine.current.reserve([subject], cost, operation), (reservation) =>
      outcome(reservation).expire(expiring),
    );
  };
  const changing = (verb: 'charge' | 'refund') => (args: [Subject], cost: number | undefined) => {
    // Of one version: the policy may be replaced while its functions are awaited.
    const { current, changes } = engine;
    return whenReady(current.checks(args, cost), (checks) => changes.change(checks, verb));
  };
  /** Made for the first caller that may have to wait. */
  let lineOf: (() => WaitingLine<[Subject], GrantedReservation>) | undefined;
  const limiter: Limiter<Subject> = {
    name: engine.policy,
    consume: answering(isAsync, consume) as Limiter<Subject>['consume'],
    peek: operationVerb((args, spending) => engine.current.peek(args, spending?.cost, spending?.operation)),
    reserve: answering(isAsync, reserve) as Limiter<Subject>['reserve'],
    refund: verb(changing('refund')),
    charge: verb(changing('charge')),
    correct: answering(isAsync, (charge: Charge, correction: ChargeCorrection) =>
      engine.changes.correct(charge, correction),
    ) as Limiter<Subject>['correct'],
    reset: answering(isAsync, (key: Key) => engine.changes.reset(key)) as Limiter<Subject>['reset'],

    ...answeringBlockVerbs(engine),

    async wait(subject, options = {}) {
      const { expiring, ...waiting } = waitOptions(options);
      lineOf ??= lineMaker()(engine, { order: 'fair', sleepsDelays: true, waitsForStore: true });
      return outcome(await lineOf().enter({ args: [subject], ...waiting })).expire(expiring);
    },
  };
  engines.set(limiter, engine);
  return limiter;
}

/** The engine of each limiter, for those who build on it. */
const engines = new WeakMap<object, unknown>();

/** Returns the engine of a limiter; undefined if `createLimiter` has not made it. */
export function engineOf<Subject>(limiter: Limiter<Subject>): ReplaceableEngine<[Subject]> | undefined {
  return engines.get(limiter) as ReplaceableEngine<[Subject]> | undefined;
}

/** Returns the methods about blocks in the style of the store. */
function answeringBlockVerbs<Subject>(engine: ReplaceableEngine<[Subject]>): BlockVerbs {
  const { async: isAsync } = engine.store;
  const { block, unblock, blocked, inspect } = blockVerbs(engine);
  return {
    block: answering(isAsync, block) as BlockVerbs['block'],
    unblock: answering(isAsync, unblock) as BlockVerbs['unblock'],
    blocked: answering(isAsync, blocked) as BlockVerbs['blocked'],
    inspect: answering(isAsync, inspect) as BlockVerbs['inspect'],
  };
}
