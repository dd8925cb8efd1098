import { MemoryStore } from '../stores/memory/memory-store.js';
import { remoteStore } from '../stores/remote/remote-store.js';
import type { Answer, Store } from '../stores/store.js';
import type { Decision } from '../values/decision.js';
import { type Duration, durationMs } from '../values/duration.js';
import { optionError, SluiceError, show } from '../values/error.js';
import { answering, type Eventual, whenReady } from '../values/eventual.js';
import type { Key } from '../values/key.js';
import { checkOneOf, checkOptions } from '../values/option-checks.js';
import { isMissing, type KeySource } from './check-builder.js';
import { Engine } from './engine.js';
import type { Args, PolicyOptions } from './policy/options.js';
import { outlineOf, type Policy, policyOf } from './policy/parse.js';
import { claimName } from './policy/registry.js';
import { type Expiring, GrantedReservation, type OnExpiry, type Reservation } from './reservation.js';
import { waitFor } from './wait.js';

/** What one call spends. */
export interface Spend {
  /** In place of the policy's cost, on each limit without a cost of its own: a safe integer of at least 0. */
  cost?: number;
}

/** What one `reserve` spends, and for how long it holds it. */
export interface ReserveSpend extends Spend {
  /**
   * The reservation ends by itself so long after it was granted, unless it is settled or cancelled before: 1 ms to 100 years by
   * the store's clock. Slots are freed then. Default: it does not end, and its charge stays. A process that crashes ends
   * nothing: its charges stay, and its slots are free when their lease ends.
   */
  expires?: Duration;
  /**
   * With `expires`: `'keep'` (default) leaves the charge as it is, and a later `settle(n)` corrects it to n. `'giveBack'` gives
   * all units back as `cancel` does, and a later `settle(n)` charges n anew, also past the limit.
   */
  onExpiry?: OnExpiry;
}

/** What one `wait` spends, for how long it holds it, and for how long it waits. */
export interface WaitSpend extends ReserveSpend {
  /** Ends the wait; what was granted meanwhile is given back. */
  signal?: AbortSignal;
  /** 0 to 100 years; default: as long as it takes. A wait that would be longer is not begun. */
  maxWait?: Duration;
}

/**
 * Decides about subjects by one policy. Over a store that answers at once its answers are values, over another
 * promises.
 *
 * Every verb throws (or rejects with) `SLUICE_KEY` when there is no key to count by, `SLUICE_COST` for a cost that is
 * no safe integer of at least 0, and whatever the policy's own functions throw; nothing is spent then.
 */
export interface Limiter<Subject = string, Async extends boolean = boolean> {
  /** The policy's name. */
  readonly name: string;
  /**
   * Decides, and spends if every limit allows. Never sleeps.
   *
   * @throws SluiceError `SLUICE_UNSUPPORTED` on a limit of concurrency, whose slot has to be given back
   */
  consume(subject: Subject, options?: Spend): Answer<Decision, Async>;
  /** Answers as if, and writes nothing. */
  peek(subject: Subject, options?: Spend): Answer<Decision, Async>;
  /**
   * Decides as `consume` does; the answer can be corrected once. With `expires` it ends by itself: use that where a worker may
   * hang, or forget to settle.
   */
  reserve(subject: Subject, options?: ReserveSpend): Answer<Reservation<Async>, Async>;
  /**
   * Reserves as soon as the limits allow, and sleeps until a leaky bucket's turn. Resolves with the refused reservation
   * when that would take longer than `maxWait`, or for ever; rejects with the signal's reason when it aborts. `expires` counts
   * from when it resolves.
   */
  wait(subject: Subject, options?: WaitSpend): Promise<Reservation<Async>>;
  /**
   * Gives units back, the newest first. Slots and leaky buckets take nothing back. Answers how the limits stand then, in
   * the same step: `allowed` says whether a request of cost 1 would fit, and each verdict's `cost` is 1. While the store
   * fails nothing is given back, and the answer is that of `onStoreError`.
   */
  refund(subject: Subject, options?: Spend): Answer<Decision, Async>;
  /**
   * Spends units after the fact, also past the limit. Answers as `refund` does. While the store fails, `'local'` charges in
   * this process; `'allow'` and `'deny'` charge nothing.
   */
  charge(subject: Subject, options?: Spend): Answer<Decision, Async>;
  /**
   * Forgets a key in every limit of the policy, blocks and slots included. Answers whether there was anything to forget.
   * Rejects when the store cannot.
   */
  reset(key: Key): Answer<boolean, Async>;
}

const SUBJECT_AS_KEY: KeySource<[subject: unknown]> = {
  defaultKey: (subject) => subject as Key,

  keyFor(key, item, [subject]) {
    if (!isMissing(key)) return key;
    const cause = item.keyGenerators
      ? `the keyGenerator of ${JSON.stringify(item.name)} answered ${show(key)} for ${show(subject)}`
      : `the subject is ${show(subject)}, and there is no keyGenerator to name it`;
    throw new SluiceError('SLUICE_KEY', `there is no key to count by: ${cause}`, { received: subject });
  },
};

/**
 * Makes a limiter: the whole of Sluice without HTTP.
 *
 * @throws SluiceError `SLUICE_OPTION` for a wrong option, `SLUICE_DUPLICATE_NAME` when the store has another policy of
 * this name
 * @example
 * const limiter = createLimiter({ limit: 100, window: '1m' });
 * if (!limiter.consume('ann').allowed) throw new Error('Too many requests');
 */
export function createLimiter<Subject = string, Async extends boolean = false>(
  options: PolicyOptions<[subject: Subject], Async>,
): Limiter<Subject, Async>;
/**
 * With functions that answer later, over a store that answers at once: most answers are promises then, but what needs
 * none of these functions (a skipped request, `settle`, `reset`) is given at once, so `await` all of them.
 */
export function createLimiter<Subject = string>(options: PolicyOptions<[subject: Subject]>): Limiter<Subject>;
export function createLimiter<Subject>(options: PolicyOptions<[subject: Subject]>): Limiter<Subject> {
  const policy = policyOf(options);
  const store = storeFor(policy, options.store);
  const claim = claimName(store, policy.name, options);
  return limiterOver(new Engine(policy, store, SUBJECT_AS_KEY as KeySource<[Subject]>, claim, GrantedReservation));
}

/**
 * The store of a policy: the user's, seen to be one that takes the policy and, if it is remote, behind its deadline and a
 * memory of refusals, or a new one in memory.
 *
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_UNSUPPORTED` for a policy that the store cannot count
 */
export function storeFor<A extends Args>(policy: Policy<A>, store: Store | undefined): Store {
  if (store === undefined) return new MemoryStore();
  if (typeof store?.consume !== 'function' || typeof store.adjust !== 'function' || !store.clock)
    throw optionError('store', 'must be a store, like new MemoryStore()', store);
  store.accept?.(outlineOf(policy));
  return remoteStore(store);
}

/** Reads the options of a verb that only spends. */
export function costOf(options: Spend): number | undefined {
  checkOptions(options, ['cost']);
  return options.cost;
}

/** @throws SluiceError `SLUICE_OPTION` */
function expiringOf({ expires, onExpiry }: ReserveSpend): Expiring | undefined {
  const choice = checkOneOf(onExpiry ?? 'keep', 'onExpiry', ['keep', 'giveBack'] as const);
  if (expires !== undefined) return { afterMs: durationMs(expires, 'expires'), onExpiry: choice };
  if (onExpiry !== undefined) throw optionError('onExpiry', 'needs an expires beside it', onExpiry);
  return undefined;
}

/** Reads the options of `reserve`, before anything is spent. */
export function reserveOptions(options: ReserveSpend): { cost: number | undefined; expiring: Expiring | undefined } {
  checkOptions(options, ['cost', 'expires', 'onExpiry']);
  return { cost: options.cost, expiring: expiringOf(options) };
}

function limiterOver<Subject>(engine: Engine<[Subject]>): Limiter<Subject> {
  const { async: isAsync } = engine.store;
  // Options are read before anything is asked, so that a wrong one spends nothing.
  const verb = <T>(run: (args: [Subject], cost: number | undefined) => Eventual<T>) =>
    answering(isAsync, (subject: Subject, options?: Spend) =>
      run([subject], options === undefined ? undefined : costOf(options)),
    ) as (subject: Subject, options?: Spend) => Answer<T>;
  const consume = (subject: Subject, options?: Spend): Answer<Decision> =>
    typeof subject === 'string' && engine.takesSubjects
      ? engine.consumeKey(subject, options === undefined ? undefined : costOf(options))
      : consumeBy(subject, options);
  const consumeBy = verb((args, cost) => engine.consume(args, cost));
  const outcome = (reservation: GrantedReservation | undefined): GrantedReservation =>
    reservation ?? engine.empty(engine.skipped());
  const reserve = (subject: Subject, options?: ReserveSpend): Eventual<GrantedReservation> => {
    if (options === undefined) return whenReady(engine.reserve([subject]), outcome);
    const { cost, expiring } = reserveOptions(options);
    return whenReady(engine.reserve([subject], cost), (reservation) => outcome(reservation).expire(expiring));
  };
  return {
    name: engine.policy.name,
    consume,
    peek: verb((args, cost) => engine.peek(args, cost)),
    reserve: answering(isAsync, reserve) as Limiter<Subject>['reserve'],
    refund: verb((args, cost) => engine.change(args, cost, 'refund')),
    charge: verb((args, cost) => engine.change(args, cost, 'charge')),
    reset: answering(isAsync, (key: Key) => engine.reset(key)) as Limiter<Subject>['reset'],

    async wait(subject, options = {}) {
      checkOptions(options, ['cost', 'expires', 'onExpiry', 'signal', 'maxWait']);
      const { cost, signal, maxWait } = options;
      const expiring = expiringOf(options);
      const maxWaitMs = maxWait === undefined ? undefined : durationMs(maxWait, 'maxWait', 0);
      const reservation = await waitFor<[Subject]>(engine, [subject], { cost, signal, maxWaitMs });
      return reservation.expire(expiring);
    },
  };
}
