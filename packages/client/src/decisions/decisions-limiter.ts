import type { Decision, Duration, Limiter, Reservation } from '@sluice/core';
import type { RequestLimiter } from '@sluice/core/http';
import type { DecisionSubject } from './decision-subject.js';

/** Options of a call that spends. */
export interface DecisionSpend {
  /** Replaces the cost of the policy: a safe integer of at least 0. */
  cost?: number;
  /**
   * Names the operation: 1 to 128 visible ASCII characters. The same call with the same id gets the first decision again, and is
   * charged once. Default: a new one, under which a call is repeated if its connection breaks.
   */
  id?: string;
}

/** Options of `reserve`. */
export interface DecisionReserve extends DecisionSpend {
  /** How long the reservation can be settled: 1 s to 1 day. Its charge stays after that. Default: that of the limiter. */
  expires?: Duration;
}

/**
 * A limiter whose policy is that of a decision service. `rateLimit(limiter)` of every adapter takes it. It has the shape of every
 * limiter. The methods without parameters are not possible over the service: they throw `SLUICE_UNSUPPORTED`.
 */
export interface DecisionsLimiter extends Limiter<DecisionSubject, true>, RequestLimiter {
  /** The name of the policy. */
  readonly name: string;
  /**
   * Decides about a request, and spends if every limit allows.
   *
   * @throws SluiceError `SLUICE_COST`, `SLUICE_OPTION`; `SLUICE_KEY` if the policy cannot count the request; `SLUICE_CLOSED`. If
   * the service fails, it does not throw: `onStoreError` decides.
   */
  consume(subject: DecisionSubject, options?: DecisionSpend): Promise<Decision>;
  /** Returns the decision that a request would get, without spending anything. */
  peek(subject: DecisionSubject, options?: Pick<DecisionSpend, 'cost'>): Promise<Decision>;
  /** Decides like `consume`, and returns a reservation that you can settle or cancel once. */
  reserve(subject: DecisionSubject, options?: DecisionReserve): Promise<Reservation>;
  /** Not possible: call `reserve`, and sleep for `retryAfterMs`. */
  wait(): never;
  /** Not possible: call `reserve`, and `cancel` or `settle` the reservation. */
  refund(): never;
  /** Not possible: call `reserve`, and `settle` the reservation. */
  charge(): never;
  /** Not possible: `settle` or `cancel` the reservation. */
  correct(): never;
  /** Not possible: keys are reset, blocked and inspected at the administration of the service. */
  reset(): never;
  /** Not possible: see `reset`. */
  block(): never;
  /** Not possible: see `reset`. */
  unblock(): never;
  /** Not possible: see `reset`. */
  blocked(): never;
  /** Not possible: see `reset`. */
  inspect(): never;
  /** Waits for running calls, at most until their deadline, and closes the connections. Later calls throw `SLUICE_CLOSED`. */
  close(): Promise<void>;
}
