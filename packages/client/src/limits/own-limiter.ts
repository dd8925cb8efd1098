import type { Clock, Key, Limiter } from '@sluice/core';
import type { Grant, OutgoingLimiter, Patience } from '../engine/outgoing-limiter.js';
import { AdaptiveConcurrency, type ConcurrencyState } from './adaptive-concurrency.js';
import type { AdaptiveSlot } from './adaptive-slot.js';
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
    const { adaptive, name: policy } = limits;
    this.#states = new KeyTable((key) => {
      const concurrency = adaptive && new AdaptiveConcurrency({ ...adaptive, policy }, this.clock, key);
      return new KeyState(key, this.#limiter, this.clock, budget, concurrency);
    });
  }

  async wait(key: Key, { signal, maxWaitMs }: Patience): Promise<Grant> {
    signal?.throwIfAborted();
    const startMs = this.clock.now();
    const state = this.#states.of(key);
    const left = () => ({ signal, maxWaitMs: Math.max(0, startMs + maxWaitMs - this.clock.now()) });
    // With a limit of its own, a client can begin at once.
    const answered = this.#limits.limit ? undefined : await state.firstAnswer.turn(maxWaitMs, signal);
    let slot: AdaptiveSlot | undefined;
    try {
      // Before the limits: a request that they have counted has to be sent at once.
      if (state.concurrency) slot = await state.concurrency.take(left());
      // The first answer may have asked for a stop.
      await state.stop.wait(left());
      return await this.#admit(state, left(), { answered, slot });
    } catch (error) {
      slot?.end();
      answered?.(false);
      throw error;
    }
  }

  /** Lifts the block of a key, for all processes. */
  unblock(key: Key): Promise<boolean> {
    return this.#states.of(key).stop.end();
  }

  /** The adaptive concurrency of a key; undefined if it has none. */
  concurrencyOf(key: Key): ConcurrencyState | undefined {
    return this.#states.known(key)?.concurrency?.state;
  }

  async #admit(
    state: KeyState,
    { signal, maxWaitMs }: Patience,
    rest: { readonly answered: EndOfFirst | undefined; readonly slot: AdaptiveSlot | undefined },
  ): Promise<Grant> {
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
    rest.slot?.sent();
    return new OwnGrant({
      limiter: this.#limiter,
      clock: this.clock,
      state,
      reservation,
      steps,
      grantedAtMs: this.clock.now(),
      holdsSlot,
      signal,
      ...rest,
    });
  }
}
