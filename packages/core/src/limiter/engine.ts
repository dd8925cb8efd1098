import { ALGORITHMS } from '../algorithms/definitions.js';
import { allowedVerdict } from '../stores/reply.js';
import type { ChangeResult, LimitCheck, Store, StoreRequest, Target } from '../stores/store.js';
import { unitChecks } from '../stores/unit-checks.js';
import { CalendarBoundsCache } from '../values/calendar.js';
import type { Decision, Verdict } from '../values/decision.js';
import { SluiceError } from '../values/error.js';
import { CHANNELS, publish, type SluiceEvents } from '../values/events.js';
import { answering, type Eventual, whenReady, whenReadyWith } from '../values/eventual.js';
import { encodeKey, type Key } from '../values/key.js';
import { unlimited, usesSlots } from '../values/limit.js';
import { nextOperationId } from '../values/operation-id.js';
import { countsOfPolicy, type PolicyCounts } from '../values/policy-counts.js';
import type { Charge } from './charge.js';
import { type ChargeCorrection, correctCharge } from './charge-correction.js';
import { type ByKey, CheckBuilder, KEY_ITSELF, type KeySource, policyByKey } from './check-builder.js';
import { type Counting, countDecision, decide, type UnitWriter, unitWriter } from './decision-builder.js';
import { publishing, type Step } from './decision-event.js';
import type { StoreOutcome } from './fallback.js';
import { hasParts, type PartFolder, partFolder, takesLateCharges } from './guarantee.js';
import { leaseRenewerOf } from './lease-renewer.js';
import { type LimitChange, limitChange } from './limit-change.js';
import { type MarkWriter, markWriter } from './mark.js';
import { type Operation, operationRequest } from './operation.js';
import { countedNames } from './policy/guarantee.js';
import type { Args } from './policy/options.js';
import type { Item, Policy } from './policy/parse.js';
import type { NameClaim } from './policy/registry.js';
import { PolicyCharges, withOperationId } from './policy-charges.js';
import { type GrantedReservation, heldChargeOf, isSlot } from './reservation.js';
import { type DelayWriter, delayWriter } from './slow-down.js';
import { countedOf, isCounted, StoreClient } from './store-client.js';

/** A class of reservations. Adapters have their own class, with what only requests have. */
type ReservationClass<R extends GrantedReservation> = new (
  ...params: ConstructorParameters<typeof GrantedReservation>
) => R;

/** Asks the store about the checks of a request, and makes the result. */
type AskStep = <D>(checks: Asked, next: OutcomeStep<D>, operation: Operation | undefined) => Eventual<D>;

/** Makes the result from the outcome; undefined is that of a skipped request. */
type OutcomeStep<D> = (outcome: StoreOutcome | undefined) => D;

/** The checks of a request; undefined if it is skipped. */
type Asked = readonly LimitCheck[] | undefined;

/**
 * Decides by one policy in one store, for any kind of request. Limiters pass a subject, adapters the arguments of their
 * framework.
 *
 * A decision has three steps: make the checks, ask the store, make the result. The first two may take their time. The steps
 * are functions that the engine creates once, so that a synchronous request allocates only its result, and an asynchronous
 * one has one promise for both.
 */
export class Engine<A extends Args, R extends GrantedReservation = GrantedReservation> {
  readonly policy: Policy<A>;
  readonly store: Store;
  /**
   * The engine that decides now: this one, until another one replaces it. Ask it once for each request, and use it for
   * all steps of the request, so that no request is decided by two policies.
   */
  current: Engine<A, R> = this;
  /** The first engine, whose `current` everybody asks. */
  readonly #first: Engine<A, R>;
  readonly #listeners: (() => void)[] = [];
  /** Whether an admitted request may have to wait for its turn. */
  readonly mayDelay: boolean;
  /** Whether a limit may be one of concurrency. */
  readonly #mayTakeSlots: boolean;
  readonly #counting: Counting;
  readonly #builder: CheckBuilder<A>;
  readonly #byKey: CheckBuilder<ByKey>;
  readonly #storeClient: StoreClient;
  readonly #charges: PolicyCharges;
  readonly #foldParts: PartFolder | undefined;
  readonly #writeUnits: UnitWriter | undefined;
  readonly #writeMarks: MarkWriter | undefined;
  readonly #writeDelays: DelayWriter | undefined;
  readonly #Granted: ReservationClass<R>;
  readonly #keys: KeySource<A>;
  readonly #claim: NameClaim;
  /** Returns a check of an earlier engine with the numbers that its limit has here. */
  readonly #now: LimitChange;

  /** @param first - the engine that this one may replace; without it, this one is the first */
  constructor(
    policy: Policy<A>,
    store: Store,
    keys: KeySource<A>,
    claim: NameClaim,
    Granted: ReservationClass<R>,
    first?: Engine<A, R>,
  ) {
    const bounds = new CalendarBoundsCache(store.clock);
    this.#first = first ?? this;
    this.policy = policy;
    this.store = store;
    this.mayDelay = policy.items.some(mayDelay);
    this.#mayTakeSlots = policy.items.some(mayTakeSlots);
    this.#Granted = Granted;
    this.#keys = keys;
    this.#claim = claim;
    this.#now = limitChange(policy.items);
    this.#builder = new CheckBuilder(policy, keys, bounds);
    this.#byKey = new CheckBuilder(policyByKey(policy), KEY_ITSELF, bounds);
    this.#counting = countingOf(policy);
    this.#storeClient = new StoreClient(policy, store, bounds, claim, this.counts);
    this.#foldParts = partFolder(policy.items);
    this.#writeUnits = unitWriter(policy.items);
    this.#writeMarks = markWriter(policy);
    this.#writeDelays = delayWriter(policy);
    this.#charges = new PolicyCharges(policy, store, this.#storeClient, this.counts, () => this.#changedSince());
    if (!first) noteLimits(policy.items, this.#counting);
  }

  /**
   * Lets another engine, of the same name and store, decide from now on. Running requests end as they began. Later
   * corrections of their charges use the numbers of the new limits, as all states do.
   */
  replaceBy(next: Engine<A, R>): void {
    noteLimits(next.policy.items, next.#counting);
    this.counts.removed(this.current.#counting.limits);
    this.current = next;
    leaseRenewerOf(this.store).changeLimits(this.policy.name, next.#now);
    for (const listener of this.#listeners) listener();
  }

  /** Makes an engine for another policy of the same name. It decides once it is given to `replaceBy`. */
  succeededBy(policy: Policy<A>): Engine<A, R> {
    return new Engine(policy, this.store, this.#keys, this.#claim, this.#Granted, this);
  }

  /** Calls `listener` each time after another engine has replaced the one before. */
  onReplaced(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The numbers that limits have by now, if another engine has replaced this one. */
  #changedSince(): LimitChange | undefined {
    const { current } = this.#first;
    return current === this ? undefined : current.#now;
  }

  /** The counts of the policy. */
  get counts(): PolicyCounts {
    return this.#counting.policy;
  }

  /** @param operation - with an id, a repeated call gets the first response, and spends nothing */
  consume(args: A, cost?: number, operation?: Operation): Eventual<Decision> {
    return this.#consumeChecks(this.#builder.checks(args, cost), operation);
  }

  #consumeChecks(checks: Eventual<Asked>, operation?: Operation): Eventual<Decision> {
    const decision = withDecisionEvent(this.#requestDecision);
    return whenMade(checks, this.#consumed, decision, operation);
  }

  /**
   * Decides without writing anything. It is no request, so no decision is published.
   *
   * @param operation - its response, if the store remembers it
   */
  peek(args: A, cost?: number, operation?: Operation): Eventual<Decision> {
    return whenMade(this.#builder.checks(args, cost), this.#peeked, this.#decision, operation);
  }

  /** Like `peek`, as a reservation without a charge; undefined if the request is skipped. */
  peekReservation(args: A, cost?: number, operation?: Operation): Eventual<R | undefined> {
    const reservation = (outcome: StoreOutcome | undefined) => outcome && this.empty(this.#decide(outcome));
    return whenMade(this.#builder.checks(args, cost), this.#peeked, reservation, operation);
  }

  /** Like `peek`, for a key in every limit of the policy, whatever their key generators are. */
  peekAt(key: Key, cost?: number, operation?: Operation): Eventual<Decision> {
    return whenMade(this.#byKey.checks([key], cost), this.#peeked, this.#decision, operation);
  }

  /** Like `consume`, for a key in every limit of the policy, whatever their key generators are. */
  consumeAt(key: Key, cost?: number, operation?: Operation): Eventual<Decision> {
    return this.#consumeChecks(this.#byKey.checks([key], cost), operation);
  }

  /** Like `reserve`, for a key in every limit of the policy, whatever their key generators are. */
  reserveAt(key: Key, cost?: number, operation?: Operation): Eventual<R | undefined> {
    return this.#reserveAsked(this.#byKey.checks([key], cost), operation);
  }

  /** Makes the checks of a request; undefined if it is skipped. */
  checks(args: A, cost?: number): Eventual<Asked> {
    return this.#builder.checks(args, cost);
  }

  /** Like `peek`, for checks that were just made. */
  peekChecks(checks: readonly LimitCheck[]): Eventual<Decision> {
    return this.#storeClient.ask({ checks, peek: true }, this.#decision);
  }

  /** Like `reserve`, for checks that were just made. */
  reserveChecks(checks: readonly LimitCheck[]): Eventual<R> {
    return this.#storeClient.ask(this.#heldRequest(checks), withDecisionEvent(this.#granted));
  }

  /** Decides, and returns a reservation; undefined if the request is skipped. */
  reserve(args: A, cost?: number, operation?: Operation): Eventual<R | undefined> {
    return this.#reserveAsked(this.#builder.checks(args, cost), operation);
  }

  #reserveAsked(checks: Eventual<Asked>, operation?: Operation): Eventual<R | undefined> {
    const reservation = withDecisionEvent(this.#reservation);
    return whenMade(checks, this.#held, reservation, operation);
  }

  /** The decision about a skipped request: no limit counts it. */
  skipped(): Decision {
    const { name, items } = this.policy;
    return decide(
      name,
      items.map((item) => allowedVerdict({ name: item.name, limit: unlimited(), cost: 0 })),
      'store',
    );
  }

  /** Notes and tells that a request is not counted, and why. */
  notCounted(reason: SluiceEvents['sluice:skipped']['reason']): undefined {
    this.counts.skipped[reason] += 1;
    if (CHANNELS['sluice:skipped'].hasSubscribers) publish('sluice:skipped', { policy: this.policy.name, reason });
  }

  /** A reservation without a charge to correct. */
  empty(decision: Decision): R {
    return new this.#Granted(decision, this.#charges);
  }

  /**
   * Charges or gives back the cost of a request, without a decision. Slots are not changed. Returns the state of the
   * limits for a request of cost 1. It is no request, so no decision is published.
   */
  change(args: A, cost: number | undefined, verb: 'charge' | 'refund'): Eventual<Decision> {
    return whenReady(this.#builder.checks(args, cost), (checks) =>
      checks ? this.#change(checks, verb) : this.skipped(),
    );
  }

  /** Corrects a charge that is given as data, once. Returns what the store did. */
  correct(charge: Charge, correction: ChargeCorrection): Eventual<ChangeResult> {
    return correctCharge(charge, correction, {
      policy: this.policy.name,
      ownsCost: this.#charges.ownsCost,
      store: this.store,
      local: this.#claim.local,
      storeClient: this.#storeClient,
      now: this.#now,
    });
  }

  /** Removes the states of a key in every limit. Returns whether there was any. */
  reset(key: Key): Eventual<boolean> {
    return this.#storeClient.reset(this.targets(key));
  }

  /** Names the states of a key in every limit. */
  targets(key: Key): readonly Target[] {
    const { name: policy, items } = this.policy;
    const encoded = encodeKey(key);
    return items.flatMap(countedNames<A>).map((name) => ({ policy, name, key: encoded }));
  }

  /**
   * Returns the result in the style of the store. For an asynchronous store it is always a promise, and errors are
   * rejections.
   */
  answer<T>(attempt: () => Eventual<T>): Eventual<T> {
    return answering(this.store.async, attempt)();
  }

  #change(checks: readonly LimitCheck[], verb: 'charge' | 'refund'): Eventual<Decision> {
    const request: StoreRequest = { checks: unitChecks(checks), peek: true };
    const changes = countedOf(checks).map((check) => {
      const units = isSlot(check) ? 0 : check.cost;
      if (verb === 'refund') return { ...check, cost: 0 - units };
      return { ...check, cost: takesLateCharges(check) ? units : 0 };
    });
    if (changes.every(({ cost }) => cost === 0)) return this.#storeClient.ask(request, this.#decision);
    return whenReady(
      this.#storeClient.change(request, withOperationId({ checks: changes }, this.store)),
      this.#decision,
    );
  }

  readonly #consumed: AskStep = (checks, next, operation) => {
    if (!checks) return next(this.notCounted('skip'));
    if (this.#mayTakeSlots) refuseSlots(checks);
    return this.#storeClient.ask(operation ? operationRequest(operation, checks) : { checks }, next);
  };

  readonly #peeked: AskStep = (checks, next, operation) => {
    if (!checks) return next(undefined);
    return this.#storeClient.ask(
      operation ? { ...operationRequest(operation, checks), peek: true } : { checks, peek: true },
      next,
    );
  };

  readonly #held: AskStep = (checks, next, operation) => {
    if (!checks) return next(this.notCounted('skip'));
    return this.#storeClient.ask(operation ? operationRequest(operation, checks) : this.#heldRequest(checks), next);
  };

  readonly #decision = (outcome: StoreOutcome | undefined): Decision =>
    outcome ? this.#decide(outcome) : this.skipped();

  readonly #requestDecision = (outcome: StoreOutcome | undefined): Decision =>
    outcome ? this.#decideRequest(outcome) : this.skipped();

  readonly #reservation = (outcome: StoreOutcome | undefined): R | undefined => outcome && this.#granted(outcome);

  readonly #granted = (outcome: StoreOutcome): R => {
    const decision = this.#decideRequest(outcome);
    if (!decision.allowed || !outcome.store) return this.empty(decision);
    const charge = heldChargeOf(outcome, outcome.store);
    if (charge.id !== undefined) this.#charges.hold(charge.id, charge);
    return new this.#Granted(decision, this.#charges, charge);
  };

  /** The request of a reservation. An id names its slots. */
  #heldRequest(checks: readonly LimitCheck[]): StoreRequest {
    return this.#mayTakeSlots && checks.some(isSlot) ? { checks, id: nextOperationId() } : { checks };
  }

  #decideRequest(outcome: StoreOutcome): Decision {
    const decision = this.#decide(outcome);
    countDecision(this.#counting, decision);
    return decision;
  }

  #decide(outcome: StoreOutcome): Decision {
    const { source } = outcome;
    const { checks, peek } = outcome.request;
    const all = this.#itemVerdicts(outcome);
    const withUnits = this.#writeUnits ? this.#writeUnits(all) : all;
    const withMarks = this.#writeMarks ? this.#writeMarks(withUnits, checks) : withUnits;
    const withDelays = this.#writeDelays ? this.#writeDelays(withMarks, peek === true) : withMarks;
    return decide(this.policy.name, withDelays, source);
  }

  /** Returns one verdict of each item: those of a store, with those of unlimited tiers, and without those of parts. */
  #itemVerdicts(outcome: StoreOutcome): readonly Verdict[] {
    const isComplete = !this.#foldParts && outcome.verdicts.length === outcome.request.checks.length;
    return isComplete ? outcome.verdicts : this.#foldedVerdicts(outcome);
  }

  #foldedVerdicts({ request: { checks }, verdicts, source }: StoreOutcome): readonly Verdict[] {
    const foldParts = this.#foldParts;
    const answered = verdicts.values();
    const next = (): Verdict => answered.next().value as Verdict;
    return checks.map((check) => {
      if (!isCounted(check)) return allowedVerdict(check);
      if (!foldParts || !hasParts(check)) return next();
      const [own, all, whole] = [next(), next(), next()];
      return foldParts(whole, own, all, source);
    });
  }
}

/** Returns where a policy counts. */
function countingOf({ name, items }: Policy<never>): Counting {
  const policy = countsOfPolicy(name);
  return { policy, limits: items.map((item) => policy.limit(item.name)) };
}

/** Notes the limits of a policy where they are counted, as those that are in force from now on. */
function noteLimits(items: readonly Item<never>[], { policy, limits }: Counting): void {
  policy.added(limits);
  items.forEach(({ limit, enforce }, i) => {
    const known = typeof limit === 'function' ? undefined : limit;
    limits[i]?.describe(known, typeof enforce === 'function' ? enforce : () => enforce);
  });
}

/** Whether a limit may delay what it admits. A function may choose any limit. */
function mayDelay({ algorithm, slowDown }: Item<never>): boolean {
  if (slowDown !== undefined || algorithm === undefined) return true;
  return algorithm !== 'unlimited' && ALGORITHMS[algorithm].kernel.delayMs !== undefined;
}

/** Whether a limit may be one of concurrency. A function may choose any limit. */
function mayTakeSlots({ limit }: Item<never>): boolean {
  return typeof limit === 'function' || usesSlots(limit);
}

/** Takes a step when the checks of a request are made. They usually are, so a list is looked for first. */
function whenMade<D>(
  checks: Eventual<Asked>,
  step: AskStep,
  next: OutcomeStep<D>,
  operation: Operation | undefined,
): Eventual<D> {
  return Array.isArray(checks) ? step(checks, next, operation) : whenReadyWith(checks, step<D>, next, operation);
}

function refuseSlots(checks: readonly LimitCheck[]): void {
  const slot = checks.find(isSlot);
  if (!slot) return;
  const message = `the concurrency limit ${JSON.stringify(slot.name)} holds a slot that has to be released: use reserve() or wait()`;
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}

/** Returns a step that also publishes its decision, if there are listeners. */
function withDecisionEvent<O extends StoreOutcome | undefined, D extends Decision | undefined>(
  step: Step<O, D>,
): Step<O, D> {
  return CHANNELS['sluice:decision'].hasSubscribers ? publishing(step) : step;
}
