import type { Clock, Key, Limiter, Reservation } from '@sluice/core';
import type { Outcome } from '../engine/exchange.js';
import type { Grant, OutgoingLimiter, Patience } from '../engine/outgoing-limiter.js';
import { RetryBudget } from '../engine/retry-budget.js';
import { isStopping } from '../engine/retry-policy.js';
import { endReservation } from './end-reservation.js';
import { KeyTable } from './key-table.js';
import { refusedCall } from './refused-call.js';
import { SharedStop } from './shared-stop.js';

/** What a client over a limiter of the user's own is made of. */
interface GivenLimiterParts<Subject> {
  readonly limiter: Limiter<Subject>;
  readonly keyOf: (subject: Subject) => Key;
  readonly clock: Clock;
  /** The retries of a key as a part of its requests. */
  readonly budget: number;
  /** Whether somebody else ends the reservations. */
  readonly isEndedElsewhere: boolean;
}

/** What this process knows about one key. */
interface GivenState {
  readonly budget: RetryBudget;
  readonly stop: SharedStop;
}

/** A client over a limiter of the user's own. It learns nothing: the user's `charge` corrects what it counts. */
export class GivenLimiter<Subject> implements OutgoingLimiter<Subject> {
  readonly clock: Clock;
  readonly #parts: GivenLimiterParts<Subject>;
  readonly #states: KeyTable<GivenState>;

  constructor(parts: GivenLimiterParts<Subject>) {
    const { clock, limiter, budget } = parts;
    this.clock = clock;
    this.#parts = parts;
    this.#states = new KeyTable((key) => ({
      budget: new RetryBudget(clock, budget),
      stop: new SharedStop(limiter, clock, key),
    }));
  }

  async wait(subject: Subject, { signal, maxWaitMs }: Patience): Promise<GivenGrant<Subject>> {
    signal?.throwIfAborted();
    const { limiter, keyOf, isEndedElsewhere } = this.#parts;
    const state = this.#states.of(keyOf(subject));
    const maxWait = await state.stop.wait({ signal, maxWaitMs });
    const reservation = await limiter.wait(subject, { maxWait, ...(signal && { signal }) });
    if (!reservation.allowed) throw refusedCall(reservation.retryAfterMs);
    return new GivenGrant({ subject, reservation, isEndedElsewhere, ...state });
  }
}

/** What a grant is made of. */
interface GivenGrantParts<Subject> extends GivenState {
  readonly subject: Subject;
  readonly reservation: Reservation<boolean>;
  readonly isEndedElsewhere: boolean;
}

/** The right to send one request, by a limiter of the user's own. */
export class GivenGrant<Subject> implements Grant {
  readonly subject: Subject;
  readonly reservation: Reservation<boolean>;
  readonly budget: RetryBudget;
  readonly holdsSlot: boolean;
  readonly #stop: SharedStop;

  constructor({ subject, reservation, budget, stop, isEndedElsewhere }: GivenGrantParts<Subject>) {
    this.subject = subject;
    this.reservation = reservation;
    this.budget = budget;
    this.#stop = stop;
    this.holdsSlot = !isEndedElsewhere && reservation.verdicts.some(({ limit }) => limit.leaseMs !== undefined);
  }

  answered(outcome: Outcome): boolean {
    return isStopping(outcome);
  }

  async learn(): Promise<void> {}

  block(ms: number): Promise<void> {
    return this.#stop.begin(ms);
  }

  ended(): void {
    if (this.holdsSlot) endReservation(this.reservation);
  }
}
