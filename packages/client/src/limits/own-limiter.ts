import type { Clock, Decision, Key, Limiter } from '@sluice/core';
import type { Grant, OutgoingLimiter, Patience } from '../engine/outgoing-limiter.js';
import { AdaptiveConcurrency, type ConcurrencyState } from './adaptive-concurrency.js';
import type { AdaptiveSlot } from './adaptive-slot.js';
import type { BreakerSettings, EndOfPermit } from './breaker.js';
import { type ClientLimits, clientLimiter, lengtheningOf, neededMs, type Outgoing } from './client-policy.js';
import { KeyState } from './key-state.js';
import { KeyTable } from './key-table.js';
import { stepsOf } from './lengthening.js';
import { type GrantParts, OwnGrant } from './own-grant.js';
import { refusedCall } from './refused-call.js';

/** How long a slot is held at most if nobody reads the answer to its end. */
const LONGEST_HOLD = '15m';

/** The limiter of a client that learns: it keeps the limits of servers, and one of its own if there is one. */
export class OwnLimiter implements OutgoingLimiter<Key> {
  readonly clock: Clock;
  readonly #limiter: Limiter<Outgoing>;
  readonly #states: KeyTable<KeyState>;
  readonly #limits: ClientLimits;

  /** @param rest - the retries of a key as a part of its requests, and when they are not worth sending */
  constructor(limits: ClientLimits, rest: { readonly budget: number; readonly breaker: BreakerSettings }) {
    this.clock = limits.store.clock;
    this.#limits = limits;
    this.#limiter = clientLimiter(limits);
    const { adaptive, name: policy } = limits;
    this.#states = new KeyTable((key) => {
      const concurrency = adaptive && new AdaptiveConcurrency({ ...adaptive, policy }, this.clock, key);
      return new KeyState(key, { limiter: this.#limiter, clock: this.clock, concurrency, ...rest });
    });
  }

  async wait(key: Key, { signal, maxWaitMs }: Patience): Promise<Grant> {
    signal?.throwIfAborted();
    const endMs = this.clock.now() + maxWaitMs;
    const left = (): Patience => ({ signal, maxWaitMs: Math.max(0, endMs - this.clock.now()) });
    const state = this.#states.of(key);
    for (;;) {
      const grant = await this.#turn(state, left);
      if (grant) return grant;
      // Another call may have done it meanwhile, and heard more.
      if (state.policies.beliefLeftMs(this.clock.now()) === 0) await this.#forgetStated(state).catch(ignored);
    }
  }

  /** Waits for the turn of a request. Undefined if the limits refuse it that the server has not stated for too long. */
  async #turn(state: KeyState, left: () => Patience): Promise<Grant | undefined> {
    const { signal, maxWaitMs } = left();
    // With a limit of its own, a client can begin at once.
    const answered = this.#limits.limit ? undefined : await state.firstAnswer.turn(maxWaitMs, signal);
    let slot: AdaptiveSlot | undefined;
    let endPermit: EndOfPermit | undefined;
    try {
      // Before the limits: a request that they have counted has to be sent at once.
      if (state.concurrency) slot = await state.concurrency.take(left());
      // The first answer may have asked for a stop.
      await state.stop.wait(left());
      endPermit = await state.breaker.turn(left());
      const grant = await this.#admit(state, left(), { answered, slot, endPermit });
      if (grant) return grant;
    } catch (error) {
      endPermit?.('nothing');
      slot?.end();
      answered?.(false);
      throw error;
    }
    endPermit('nothing');
    slot?.end();
    answered?.(false);
    return undefined;
  }

  /** Lifts the block of a key, for all processes. */
  unblock(key: Key): Promise<boolean> {
    return this.#states.of(key).stop.end();
  }

  /**
   * Forgets a key: its block, what the server has stated, and what was counted, in the store as well. Returns whether there
   * was anything.
   *
   * @throws the error of the store
   */
  async forget(key: Key): Promise<boolean> {
    const state = this.#states.of(key);
    const wasStopped = await state.stop.end();
    state.breaker.reset();
    const wasStated = await this.#forgetStated(state);
    return (await this.#limiter.reset(key)) || wasStated || wasStopped;
  }

  /** Forgets what a server has stated, and what was counted by it. Returns whether there was anything. */
  async #forgetStated(state: KeyState): Promise<boolean> {
    const { names } = state.policies;
    state.forgetStated();
    await Promise.all(names.map((name) => this.#limiter.reset([state.key, name])));
    return names.length > 0;
  }

  /** The adaptive concurrency of a key; undefined if it has none. */
  concurrencyOf(key: Key): ConcurrencyState | undefined {
    return this.#states.known(key)?.concurrency?.state;
  }

  async #admit(
    state: KeyState,
    { signal, maxWaitMs }: Patience,
    rest: Pick<GrantParts, 'answered' | 'slot' | 'endPermit'>,
  ): Promise<Grant | undefined> {
    const { concurrency, limit } = this.#limits;
    const beliefMs = state.policies.beliefLeftMs(this.clock.now());
    const mayHold = concurrency !== undefined || limit?.leaseMs !== undefined || state.policies.holdsSlot;
    const reservation = await this.#limiter.wait(
      { state },
      { maxWait: Math.min(maxWaitMs, beliefMs), ...(signal && { signal }), ...(mayHold && { expires: LONGEST_HOLD }) },
    );
    if (!reservation.allowed) return this.#refused(reservation, { signal, maxWaitMs }, beliefMs);
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

  /**
   * Ends a wait that was refused, by an error, or after what the server has stated was believed for long enough.
   *
   * @throws SluiceError `SLUICE_REFUSED`; the reason of the signal
   */
  async #refused({ verdicts }: Decision, { signal, maxWaitMs }: Patience, beliefMs: number): Promise<undefined> {
    const ms = neededMs(verdicts, beliefMs);
    if (ms === 'never' || ms > maxWaitMs || beliefMs > maxWaitMs) throw refusedCall(ms);
    await this.clock.sleep(ms, signal);
  }
}

/** Where the store cannot forget, it refuses the request, or each process goes on by itself. */
function ignored(): void {}
