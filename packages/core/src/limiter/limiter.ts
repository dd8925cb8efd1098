// Why it is so: docs/why/verdicts.md

import { MemoryStore } from '../stores/memory/memory-store.js';
import { remoteStore } from '../stores/remote/remote-store.js';
import type { Answer, ChangeResult, Store } from '../stores/store.js';
import type { Decision } from '../values/decision.js';
import { type Duration, durationMs } from '../values/duration.js';
import { optionError, SluiceError, show } from '../values/error.js';
import { answering, type Eventual, whenReady } from '../values/eventual.js';
import { encodeKey, type Key } from '../values/key.js';
import { checkOneOf, checkOptions, checkSignal } from '../values/option-checks.js';
import { type BlockVerbs, blockVerbs } from './blocks.js';
import type { Charge } from './charge.js';
import type { ChargeCorrection } from './charge-correction.js';
import { isMissing, type KeySource } from './check-builder.js';
import { Engine } from './engine.js';
import { lineOf } from './line/line-of.js';
import type { WaitingLine } from './line/waiting-line.js';
import {
  OPERATION_OPTIONS,
  type Operation,
  type OperationKind,
  type OperationOptions,
  operationOf,
} from './operation.js';
import type { Args, PolicyOptions } from './policy/options.js';
import { type Item, outlineOf, type Policy, policyOf } from './policy/parse.js';
import { claimName } from './policy/registry.js';
import { addReplaceable, prepareEngine, replacedOptions } from './replace-policy.js';
import { type Expiring, GrantedReservation, type OnExpiry, type Reservation } from './reservation.js';

/** Options of a call that spends. */
export interface Spend {
  /** Replaces the cost of the policy, on each limit without its own cost: a safe integer of at least 0. */
  cost?: number;
}

/** Options of `consume` and `peek`: the cost, and an id with which the call can be repeated. */
export interface OperationSpend extends Spend, OperationOptions {}

/** When a reservation ends by itself. */
export interface ReserveExpiry {
  /**
   * The reservation ends by itself this long after it was granted, unless it is settled or cancelled before. Its slots
   * are freed then. 1 ms to 100 years, on the clock of the store. Default: it does not end by itself, and its charge
   * stays.
   *
   * If the process crashes, nothing ends by itself: charges stay, and slots are freed when their lease ends. Of several calls
   * with one `id`, the first one ends as it says; a repeated call has no end of its own.
   */
  expires?: Duration;
  /**
   * What happens to the charge, with `expires`. `'keep'` (default) keeps it, and a later `settle(n)` corrects it to n.
   * `'giveBack'` gives all units back as `cancel` does, and a later `settle(n)` charges n again, even above the limit.
   */
  onExpiry?: OnExpiry;
}

/** Options of `reserve`: the cost, an id with which the call can be repeated, and when the reservation ends by itself. */
export interface ReserveSpend extends OperationSpend, ReserveExpiry {}

/** Options of `wait`: the cost, when the reservation ends by itself, and how long to wait. */
export interface WaitSpend extends Spend, ReserveExpiry {
  /** Ends the wait. Units that were granted meanwhile are given back. */
  signal?: AbortSignal;
  /** The longest wait: 0 to 100 years. A wait that would be longer does not begin. Default: no maximum. */
  maxWait?: Duration;
}

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

/** A subject is its own key. The last one is remembered, because a busy key often comes again. */
class SubjectAsKey<Subject> implements KeySource<[subject: Subject]> {
  #text: unknown;
  #encoded = '';

  defaultKey([subject]: [Subject]): string | undefined {
    if (typeof subject !== 'string') return isMissing(subject) ? undefined : encodeKey(subject as Key);
    if (subject !== this.#text) {
      this.#encoded = encodeKey(subject);
      this.#text = subject;
    }
    return this.#encoded;
  }

  keyFor(key: Key | null | undefined, item: Item<[Subject]>, [subject]: [Subject]): Key {
    if (!isMissing(key)) return key;
    const cause = item.keyGenerators
      ? `the keyGenerator of ${JSON.stringify(item.name)} returned ${show(key)} for ${show(subject)}`
      : `the subject is ${show(subject)}, and there is no keyGenerator`;
    throw new SluiceError('SLUICE_KEY', `there is no key to count by: ${cause}`, { received: subject });
  }
}

/**
 * Makes a limiter: Sluice without HTTP. For HTTP, use `rateLimit` of an adapter package.
 *
 * @param owner - the object that owns the policy's name on the store. Limiters of one owner share their counters. Pass
 * it if your program makes the options anew, for example when it reads them again. Default: `options`.
 * @throws SluiceError `SLUICE_OPTION` if an option is wrong; `SLUICE_DUPLICATE_NAME` if the store has another policy
 * with this name, of another owner
 * @example
 * const limiter = createLimiter({ limit: 100, window: '1m' });
 * if (!limiter.consume('ann').allowed) throw new Error('Too many requests');
 */
export function createLimiter<Subject = string, Async extends boolean = false>(
  options: PolicyOptions<[subject: Subject], Async>,
  owner?: object,
): Limiter<Subject, Async>;
/**
 * Makes a limiter with asynchronous functions and a synchronous store. Its methods return promises if they call one of
 * these functions, and values otherwise (a skipped request, `settle`, `reset`). Always `await` them.
 */
export function createLimiter<Subject = string>(
  options: PolicyOptions<[subject: Subject]>,
  owner?: object,
): Limiter<Subject>;
export function createLimiter<Subject>(
  options: PolicyOptions<[subject: Subject]>,
  owner: object = options,
): Limiter<Subject> {
  const policy = policyOf(options);
  const store = storeFor(policy, options.store);
  const claim = claimName(store, policy.name, owner);
  const engine = new Engine(policy, store, new SubjectAsKey<Subject>(), claim, GrantedReservation);
  addReplaceable(owner, engine, {
    name: policy.name,
    store: options.store,
    prepare(changed) {
      const next = prepareEngine(engine, policyOf(replacedOptions(options, changed)), options.store);
      return () => engine.replaceBy(next);
    },
  });
  return limiterOver(engine);
}

/**
 * Returns the store of a policy: the user's store after checks, or a new MemoryStore. A remote store gets a deadline
 * and a cache of refusals.
 *
 * @throws SluiceError `SLUICE_OPTION`; `SLUICE_UNSUPPORTED` if the store cannot count the policy
 */
export function storeFor<A extends Args>(policy: Policy<A>, store: Store | undefined): Store {
  const asked = store === undefined ? new MemoryStore() : store;
  if (typeof asked?.consume !== 'function' || typeof asked.adjust !== 'function' || !asked.clock)
    throw optionError('store', 'must be a store, like new MemoryStore()', asked);
  asked.accept?.(outlineOf(policy));
  return remoteStore(asked);
}

/** Returns the cost from the options of a method that only spends. */
export function costOf(options: Spend): number | undefined {
  checkOptions(options, ['cost']);
  return options.cost;
}

/**
 * Reads the options about the end of a reservation.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
function expiringOf({ expires, onExpiry }: ReserveExpiry): Expiring | undefined {
  const choice = checkOneOf(onExpiry ?? 'keep', 'onExpiry', ['keep', 'giveBack'] as const);
  if (expires !== undefined) return { afterMs: durationMs(expires, 'expires'), onExpiry: choice };
  if (onExpiry !== undefined) throw optionError('onExpiry', 'needs the option expires', onExpiry);
  return undefined;
}

/** The options of a call that may be repeated, as the engine takes them. */
interface Spending {
  readonly cost: number | undefined;
  readonly operation: Operation | undefined;
}

/** Reads the options of `consume` or `peek`, before anything is spent. */
export function operationOptions(options: OperationSpend): Spending {
  checkOptions(options, ['cost', ...OPERATION_OPTIONS]);
  return spendingOf('consume', options);
}

/** Reads the options of `reserve`, before anything is spent. */
export function reserveOptions(options: ReserveSpend): Spending & { readonly expiring: Expiring | undefined } {
  checkOptions(options, ['cost', ...OPERATION_OPTIONS, 'expires', 'onExpiry']);
  const expiring = expiringOf(options);
  return { ...spendingOf('reserve', options, expiring), expiring };
}

function spendingOf(kind: OperationKind, options: OperationSpend, expiring?: Expiring): Spending {
  return { cost: options.cost, operation: operationOf(kind, options, expiring?.afterMs) };
}

function limiterOver<Subject>(engine: Engine<[Subject]>): Limiter<Subject> {
  const { async: isAsync } = engine.store;
  // Options are read before the store is asked, so that a wrong option spends nothing.
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
  // Like `answering`, but without a list of parameters, which a call that is not compiled yet would make.
  const consumeLater = (subject: Subject, options?: OperationSpend): Promise<Decision> => {
    try {
      return Promise.resolve(consume(subject, options));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const outcome = (reservation: GrantedReservation | undefined): GrantedReservation =>
    reservation ?? engine.current.empty(engine.current.skipped());
  const reserve = (subject: Subject, options?: ReserveSpend): Eventual<GrantedReservation> => {
    if (options === undefined) return whenReady(engine.current.reserve([subject]), outcome);
    const { cost, operation, expiring } = reserveOptions(options);
    return whenReady(engine.current.reserve([subject], cost, operation), (reservation) =>
      outcome(reservation).expire(expiring),
    );
  };
  /** Made for the first caller that may have to wait. */
  let line: WaitingLine<[Subject], GrantedReservation> | undefined;
  const limiter: Limiter<Subject> = {
    name: engine.policy.name,
    consume: (isAsync ? consumeLater : consume) as Limiter<Subject>['consume'],
    peek: operationVerb((args, spending) => engine.current.peek(args, spending?.cost, spending?.operation)),
    reserve: answering(isAsync, reserve) as Limiter<Subject>['reserve'],
    refund: verb((args, cost) => engine.current.change(args, cost, 'refund')),
    charge: verb((args, cost) => engine.current.change(args, cost, 'charge')),
    correct: answering(isAsync, (charge: Charge, correction: ChargeCorrection) =>
      engine.current.correct(charge, correction),
    ) as Limiter<Subject>['correct'],
    reset: answering(isAsync, (key: Key) => engine.current.reset(key)) as Limiter<Subject>['reset'],

    ...answeringBlockVerbs(engine),

    async wait(subject, options = {}) {
      checkOptions(options, ['cost', 'expires', 'onExpiry', 'signal', 'maxWait']);
      const { cost, signal, maxWait } = options;
      checkSignal(signal, 'signal');
      const expiring = expiringOf(options);
      const maxWaitMs = maxWait === undefined ? undefined : durationMs(maxWait, 'maxWait', 0);
      line ??= lineOf(engine, { order: 'fair', sleepsDelays: true, waitsForStore: true });
      return outcome(await line.enter({ args: [subject], cost, signal, maxWaitMs })).expire(expiring);
    },
  };
  engines.set(limiter, engine);
  return limiter;
}

/** The engine of each limiter, for those who build on it. */
const engines = new WeakMap<object, unknown>();

/** Returns the engine of a limiter; undefined if `createLimiter` has not made it. */
export function engineOf<Subject>(limiter: Limiter<Subject>): Engine<[Subject]> | undefined {
  return engines.get(limiter) as Engine<[Subject]> | undefined;
}

/** Returns the methods about blocks in the style of the store. */
function answeringBlockVerbs<Subject>(engine: Engine<[Subject]>): BlockVerbs {
  const { async: isAsync } = engine.store;
  const { block, unblock, blocked, inspect } = blockVerbs(engine);
  return {
    block: answering(isAsync, block) as BlockVerbs['block'],
    unblock: answering(isAsync, unblock) as BlockVerbs['unblock'],
    blocked: answering(isAsync, blocked) as BlockVerbs['blocked'],
    inspect: answering(isAsync, inspect) as BlockVerbs['inspect'],
  };
}
