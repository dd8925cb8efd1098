// Why it is so: docs/why/verdicts.md

import type { LimitCheck, StoreRequest } from '../stores/store.js';
import type { Decision } from '../values/decision.js';
import { SluiceError } from '../values/error.js';
import { CHANNELS, type SluiceEvents } from '../values/events.js';
import type { Eventual } from '../values/eventual.js';
import type { CheckBuilder } from './check-builder.js';
import { publishing } from './decision-event.js';
import type { DecisionReporter } from './decision-reporter.js';
import type { StoreOutcome } from './fallback.js';
import { holdingRequest, isSlot } from './life/hold.js';
import { type Operation, operationRequest } from './life/operation.js';
import type { Args } from './policy/options.js';
import type { GrantedReservation, ReservationClass } from './reservation.js';
import type { ReservationCharges } from './reservation-charges.js';
import type { StoreClient } from './store-client.js';

/** What an engine decides with. Engines of one policy share it. */
interface EngineParts<R extends GrantedReservation> {
  readonly storeClient: StoreClient;
  readonly reporter: DecisionReporter;
  readonly charges: ReservationCharges;
  readonly Granted: ReservationClass<R>;
  /** Whether an admitted request may have to wait for its turn. */
  readonly mayDelay: boolean;
  /** Whether a limit may be one of concurrency. */
  readonly mayTakeSlots: boolean;
}

/** The checks of a request; undefined if it is skipped. */
type Asked = readonly LimitCheck[] | undefined;

/** Asks the store about the checks of a request, and makes the result. */
type AskStep = <D>(checks: Asked, next: OutcomeStep<D>, operation: Operation | undefined) => Eventual<D>;

/** Makes the result from the outcome; undefined is that of a skipped request. */
type OutcomeStep<D> = (outcome: StoreOutcome | undefined) => D;

/**
 * Decides by one policy in one store, for any kind of request: limiters pass a subject, adapters the arguments of their
 * framework, both also a key. Nothing about it changes: a new policy has a new engine.
 *
 * A decision has three steps: make the checks, ask the store, make the result. The first two may take their time. The steps
 * are functions that the engine creates once, so that a synchronous request allocates only its result, and an asynchronous
 * one has one promise for both. With an operation, a repeated call gets the first response, and spends nothing.
 */
export class Engine<A extends Args, R extends GrantedReservation = GrantedReservation> {
  readonly mayDelay: boolean;
  readonly mayTakeSlots: boolean;
  readonly #builder: CheckBuilder<A>;
  readonly #storeClient: StoreClient;
  readonly #reporter: DecisionReporter;
  readonly #charges: ReservationCharges;
  readonly #Granted: ReservationClass<R>;

  constructor(builder: CheckBuilder<A>, parts: EngineParts<R>) {
    this.#builder = builder;
    this.#storeClient = parts.storeClient;
    this.#reporter = parts.reporter;
    this.#charges = parts.charges;
    this.#Granted = parts.Granted;
    this.mayDelay = parts.mayDelay;
    this.mayTakeSlots = parts.mayTakeSlots;
  }

  /** Makes the checks of a request; undefined if it is skipped. */
  checks(args: A, cost?: number): Eventual<Asked> {
    return this.#builder.checks(args, cost);
  }

  /** Decides, and spends if every limit allows. */
  consume(args: A, cost?: number, operation?: Operation): Eventual<Decision> {
    return this.#decide(this.#builder.checks(args, cost), this.#spend, this.#consumed, operation);
  }

  /** Decides without writing anything. It is no request, so no decision is published. */
  peek(args: A, cost?: number, operation?: Operation): Eventual<Decision> {
    return this.#decide(this.#builder.checks(args, cost), this.#look, this.#peeked, operation);
  }

  /** Like `peek`, as a reservation without a charge; undefined if the request is skipped. */
  peekReservation(args: A, cost?: number, operation?: Operation): Eventual<R | undefined> {
    const reservation = (outcome: StoreOutcome | undefined) => outcome && this.empty(this.#reporter.decision(outcome));
    return this.#decide(this.#builder.checks(args, cost), this.#look, reservation, operation);
  }

  /** Decides, and returns a reservation; undefined if the request is skipped. */
  reserve(args: A, cost?: number, operation?: Operation): Eventual<R | undefined> {
    return this.#decide(this.#builder.checks(args, cost), this.#take, this.#reserved, operation);
  }

  /** Like `peek`, for checks that were just made. */
  peekChecks(checks: readonly LimitCheck[]): Eventual<Decision> {
    return this.#look(checks, this.#peeked, undefined);
  }

  /** Like `reserve`, for checks that were just made, so that the request is not skipped. */
  reserveChecks(checks: readonly LimitCheck[]): Eventual<R> {
    return this.#decide(checks, this.#take, this.#reserved, undefined) as Eventual<R>;
  }

  /** A reservation without a charge to correct. Default: the decision about a skipped request. */
  empty(decision: Decision = this.#reporter.skipped()): R {
    return new this.#Granted(decision, this.#charges);
  }

  /** Records and publishes that a request is not counted, and why. */
  notCounted(reason: SluiceEvents['sluice:skipped']['reason']): undefined {
    this.#reporter.notCounted(reason);
  }

  readonly #spend: AskStep = (checks, next, operation) => {
    if (!checks) return next(this.notCounted('skip'));
    if (this.mayTakeSlots) refuseSlots(checks);
    return this.#storeClient.ask(operation ? operationRequest(operation, checks) : { checks }, next);
  };

  readonly #look: AskStep = (checks, next, operation) => {
    if (!checks) return next(undefined);
    const request: StoreRequest = operation
      ? { peek: true, ...operationRequest(operation, checks) }
      : { checks, peek: true };
    return this.#storeClient.ask(request, next);
  };

  readonly #take: AskStep = (checks, next, operation) => {
    if (!checks) return next(this.notCounted('skip'));
    if (operation) return this.#storeClient.ask(operationRequest(operation, checks), next);
    return this.#storeClient.ask(this.mayTakeSlots ? holdingRequest(checks) : { checks }, next);
  };

  readonly #peeked = (outcome: StoreOutcome | undefined): Decision =>
    outcome ? this.#reporter.decision(outcome) : this.#reporter.skipped();

  readonly #consumed = (outcome: StoreOutcome | undefined): Decision =>
    outcome ? this.#reporter.decision(outcome, true) : this.#reporter.skipped();

  readonly #reserved = (outcome: StoreOutcome | undefined): R | undefined => {
    if (!outcome) return undefined;
    const decision = this.#reporter.decision(outcome, true);
    if (!decision.allowed) return this.empty(decision);
    const reservation = new this.#Granted(decision, this.#charges, outcome);
    // Without slots, nobody needs the charge before it is corrected.
    if (this.mayTakeSlots) reservation.hold();
    return reservation;
  };

  /** The last two steps. The closure is apart: see "Functions" in `packages/bench/docs/v8.md`. */
  #decide<D extends Decision | undefined>(
    checks: Eventual<Asked>,
    ask: AskStep,
    next: OutcomeStep<D>,
    operation: Operation | undefined,
  ): Eventual<D> {
    // A peek is no request.
    const isObserved = ask !== this.#look && CHANNELS['sluice:decision'].hasSubscribers;
    const isLater = checks instanceof Promise;
    const mayTakeTime = isLater || this.#storeClient.store.async;
    const step = isObserved ? publishing(next, mayTakeTime) : next;
    return isLater ? askLater(checks, ask, step, operation) : ask(checks as Asked, step, operation);
  }
}

function askLater<D>(
  checks: Promise<Asked>,
  ask: AskStep,
  next: OutcomeStep<D>,
  operation: Operation | undefined,
): Promise<D> {
  return checks.then((made) => ask(made, next, operation));
}

function refuseSlots(checks: readonly LimitCheck[]): void {
  const slot = checks.find(isSlot);
  if (!slot) return;
  const message = `the concurrency limit ${JSON.stringify(slot.name)} holds a slot that has to be released: use reserve() or wait()`;
  throw new SluiceError('SLUICE_UNSUPPORTED', message);
}
