import type { Clock, Key, Limiter } from '@sluice/core';
import type { Grant, OutgoingLimiter, Patience } from '../engine/outgoing-limiter.js';
import { type ClientLimits, clientLimiter, lengtheningOf, type Outgoing } from './client-policy.js';
import type { EndOfFirst } from './first-answer.js';
import { KeyState } from './key-state.js';
import { KeyTable } from './key-table.js';
import { stepsOf } from './lengthening.js';
import { OwnGrant } from './own-grant.js';
import { refusedCall } from './refused-call.js';

/** How long a slot is held at most if nobody reads the answer to its end. */
const LONGEST_HOLD = '15m';

/** The limiter of a client that learns: it keeps the limits of servers, and one of its own if there is one. */
export class OwnLimiter implements OutgoingLimiter<Key> {
  readonly clock: Clock;
  readonly #limiter: Limiter<Outgoing>;
  readonly #states: KeyTable<KeyState>;
  readonly #limits: ClientLimits;

  /** @param budget - the retries of a key as a part of its requests */
  constructor(limits: ClientLimits, budget: number) {
    this.clock = limits.store.clock;
    this.#limits = limits;
    this.#limiter = clientLimiter(limits);
    this.#states = new KeyTable((key) => new KeyState(key, this.#limiter, this.clock, budget));
  }

  async wait(key: Key, { signal, maxWaitMs }: Patience): Promise<Grant> {
    signal?.throwIfAborted();
    const startMs = this.clock.now();
    const state = this.#states.of(key);
    const left = () => ({ signal, maxWaitMs: Math.max(0, startMs + maxWaitMs - this.clock.now()) });
    // With a limit of its own, a client can begin at once.
    const answered = this.#limits.limit ? undefined : await state.firstAnswer.turn(maxWaitMs, signal);
    try {
      // The first answer may have asked for a stop.
      await state.stop.wait(left());
      return await this.#admit(state, left(), answered);
    } catch (error) {
      answered?.(false);
      throw error;
    }
  }

  /** Lifts the block of a key, for all processes. */
  unblock(key: Key): Promise<boolean> {
    return this.#states.of(key).stop.end();
  }

  async #admit(state: KeyState, { signal, maxWaitMs }: Patience, answered: EndOfFirst | undefined): Promise<Grant> {
    const { concurrency, limit } = this.#limits;
    const mayHold = concurrency !== undefined || limit?.leaseMs !== undefined || state.policies.holdsSlot;
    const reservation = await this.#limiter.wait(
      { state },
      { maxWait: maxWaitMs, ...(signal && { signal }), ...(mayHold && { expires: LONGEST_HOLD }) },
    );
    if (!reservation.allowed) throw refusedCall(reservation.retryAfterMs);
    const steps = stepsOf(lengtheningOf(reservation.verdicts));
    state.steps = steps;
    const holdsSlot = reservation.verdicts.some(({ limit }) => limit.leaseMs !== undefined);
    return new OwnGrant({
      limiter: this.#limiter,
      clock: this.clock,
      state,
      reservation,
      steps,
      grantedAtMs: this.clock.now(),
      holdsSlot,
      answered,
    });
  }
}
