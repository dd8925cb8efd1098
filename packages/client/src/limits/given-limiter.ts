import type { Clock, Key, Limiter, Reservation } from '@sluice/core';
import type { Outcome } from '../engine/exchange.js';
import type { Grant, OutgoingLimiter, Patience } from '../engine/outgoing-limiter.js';
import { RetryBudget } from '../engine/retry-budget.js';
import { isStopping } from '../engine/retry-policy.js';
import { Breaker, type BreakerSettings, type EndOfPermit } from './breaker.js';
import { endReservation } from './end-reservation.js';
import { KeyTable } from './key-table.js';
import { refusedCall } from './refused-call.js';
import { breakerSampleOf } from './sample-of.js';
import { SharedStop } from './shared-stop.js';

/** What a client over a limiter of the user's own is made of. */
interface GivenLimiterParts<Subject> {
  readonly limiter: Limiter<Subject>;
  readonly keyOf: (subject: Subject) => Key;
  readonly clock: Clock;
  /** The retries of a key as a part of its requests. */
  readonly budget: number;
  readonly breaker: BreakerSettings;
  /** Whether somebody else ends the reservations. */
  readonly isEndedElsewhere: boolean;
}

/** What this process knows about one key. */
interface GivenState {
  readonly budget: RetryBudget;
  readonly stop: SharedStop;
  readonly breaker: Breaker;
}

/** A client over a limiter of the user's own. It learns nothing: the user's `charge` corrects what it counts. */
export class GivenLimiter<Subject> implements OutgoingLimiter<Subject> {
  readonly clock: Clock;
  readonly #parts: GivenLimiterParts<Subject>;
  readonly #states: KeyTable<GivenState>;

  constructor(parts: GivenLimiterParts<Subject>) {
    const { clock, limiter, budget, breaker } = parts;
    this.clock = clock;
    this.#parts = parts;
    this.#states = new KeyTable((key) => ({
      budget: new RetryBudget(clock, budget),
      stop: new SharedStop(limiter, clock, key),
      breaker: new Breaker(breaker, clock),
    }));
  }

  async wait(subject: Subject, { signal, maxWaitMs }: Patience): Promise<GivenGrant<Subject>> {
    signal?.throwIfAborted();
    const { limiter, keyOf, isEndedElsewhere } = this.#parts;
    const state = this.#states.of(keyOf(subject));
    const endMs = this.clock.now() + maxWaitMs;
    const maxWait = await state.stop.wait({ signal, maxWaitMs });
    const endPermit = await state.breaker.turn({ signal, maxWaitMs: maxWait });
    try {
      const leftMs = Math.max(0, Math.min(maxWait, endMs - this.clock.now()));
      const reservation = await limiter.wait(subject, { maxWait: leftMs, ...(signal && { signal }) });
      if (!reservation.allowed) throw refusedCall(reservation.retryAfterMs);
      return new GivenGrant({ subject, reservation, isEndedElsewhere, signal, endPermit, ...state });
    } catch (error) {
      endPermit('nothing');
      throw error;
    }
  }
}

/** What a grant is made of. */
interface GivenGrantParts<Subject> extends GivenState {
  readonly subject: Subject;
  readonly reservation: Reservation<boolean>;
  readonly isEndedElsewhere: boolean;
  readonly signal: AbortSignal | undefined;
  /** Tells the breaker what came of it. */
  readonly endPermit: EndOfPermit;
}

/** The right to send one request, by a limiter of the user's own. */
export class GivenGrant<Subject> implements Grant {
  readonly subject: Subject;
  readonly reservation: Reservation<boolean>;
  readonly budget: RetryBudget;
  readonly holdsSlot: boolean;
  readonly #parts: Pick<GivenGrantParts<Subject>, 'stop' | 'signal' | 'endPermit'>;

  constructor(parts: GivenGrantParts<Subject>) {
    const { subject, reservation, budget, isEndedElsewhere } = parts;
    this.#parts = parts;
    this.subject = subject;
    this.reservation = reservation;
    this.budget = budget;
    this.holdsSlot = !isEndedElsewhere && reservation.verdicts.some(({ limit }) => limit.leaseMs !== undefined);
  }

  answered(outcome: Outcome): boolean {
    const { signal, endPermit } = this.#parts;
    endPermit(breakerSampleOf(outcome, signal, outcome.advice.length > 0));
    return isStopping(outcome);
  }

  async learn(): Promise<void> {}

  block(ms: number): Promise<void> {
    return this.#parts.stop.begin(ms);
  }

  ended(): void {
    if (this.holdsSlot) endReservation(this.reservation);
  }
}
