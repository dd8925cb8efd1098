import type { Clock, Limiter, Reservation, Verdict } from '@sluice/core';
import type { Outcome } from '../engine/exchange.js';
import type { Grant } from '../engine/outgoing-limiter.js';
import type { RetryBudget } from '../engine/retry-budget.js';
import { isAbort, isOverLimit, isStopping } from '../engine/retry-policy.js';
import type { Advice } from '../headers/advice.js';
import type { AdaptiveSlot } from './adaptive-slot.js';
import type { EndOfPermit } from './breaker.js';
import { lengtheningOf, type Outgoing } from './client-policy.js';
import { endReservation } from './end-reservation.js';
import type { EndOfFirst } from './first-answer.js';
import type { KeyState } from './key-state.js';
import { LONGEST_BELIEF_MS, policyNameOf } from './learned-policies.js';
import { addedSteps, stepsOf } from './lengthening.js';
import { breakerSampleOf, sampleOf } from './sample-of.js';

/** What a grant is made of. */
export interface GrantParts {
  readonly limiter: Limiter<Outgoing>;
  readonly clock: Clock;
  readonly state: KeyState;
  readonly reservation: Reservation<boolean>;
  /** By how many hundredths windows were longer when it was granted. */
  readonly steps: number;
  readonly grantedAtMs: number;
  /** Whether the reservation holds one in the store. */
  readonly holdsSlot: boolean;
  /** Tells the breaker what came of it. */
  readonly endPermit: EndOfPermit;
  /** Of an adaptive concurrency. */
  readonly slot: AdaptiveSlot | undefined;
  readonly signal: AbortSignal | undefined;
  /** Lets the requests go that wait for the first answer. */
  readonly answered: EndOfFirst | undefined;
}

/** The right to send one request, by a limiter that learns. */
export class OwnGrant implements Grant {
  readonly #parts: GrantParts;

  constructor(parts: GrantParts) {
    this.#parts = parts;
  }

  get budget(): RetryBudget {
    return this.#parts.state.budget;
  }

  get holdsSlot(): boolean {
    const { holdsSlot, slot } = this.#parts;
    return holdsSlot || slot !== undefined;
  }

  /**
   * With an adaptive concurrency, a server that refuses some requests for being overloaded gets fewer at once, and the others
   * go on. They stop if it refuses all.
   */
  answered(outcome: Outcome): boolean {
    const { slot, signal, state, endPermit } = this.#parts;
    const hasLimits = state.policies.areKnown || outcome.advice.length > 0;
    endPermit(breakerSampleOf(outcome, signal, hasLimits));
    if (!slot) return isStopping(outcome);
    slot.answered(sampleOf(outcome, signal, hasLimits));
    const { head } = outcome;
    return head !== undefined && (isOverLimit(head) || (isStopping(outcome) && slot.isDown));
  }

  async learn({ head, advice, error }: Outcome): Promise<void> {
    const { state, clock, answered } = this.#parts;
    state.policies.learn(advice, clock.now());
    const isRefused = head !== undefined && isOverLimit(head);
    if (isRefused || this.#shortfalls(advice, this.#parts.reservation.verdicts).size > 0) {
      const correction = state.corrections.then(() => this.#correct(advice, isRefused)).catch(ignored);
      state.corrections = correction;
      await correction;
    }
    const emptyMs = longestEmptyMs(advice);
    if (emptyMs > 0) await this.block(emptyMs);
    answered?.(!isAbort(error));
  }

  block(ms: number): Promise<void> {
    return this.#parts.state.stop.begin(ms);
  }

  ended(): void {
    const { holdsSlot, reservation, slot } = this.#parts;
    slot?.end();
    if (holdsSlot) endReservation(reservation);
  }

  /** Charges what the server has counted and we have not, and lengthens the windows after a refusal. */
  async #correct(advice: readonly Advice[], isRefused: boolean): Promise<void> {
    const { limiter, state } = this.#parts;
    const { verdicts } = await limiter.peek({ state });
    const now = lengtheningOf(verdicts);
    state.steps = stepsOf(now);
    const added = isRefused && this.#isAfterLengthening ? addedSteps(this.#parts.steps, now) : { current: 0, least: 0 };
    const charges = { ...added, policies: this.#shortfalls(advice, verdicts) };
    if (added.current === 0 && added.least === 0 && charges.policies.size === 0) return;
    state.steps = stepsOf(lengtheningOf((await limiter.charge({ state, charges })).verdicts));
  }

  /** Whether it was granted a window after windows became longer. Before that, a refusal says nothing about their length. */
  get #isAfterLengthening(): boolean {
    const { state, grantedAtMs } = this.#parts;
    return grantedAtMs - state.lengthenedAtMs >= (state.policies.shortestMs ?? 0);
  }

  /** By slot, how many units less the server has than these verdicts say. */
  #shortfalls(advice: readonly Advice[], verdicts: readonly Verdict[]): ReadonlyMap<number, number> {
    const { state, reservation } = this.#parts;
    const found = new Map<number, number>();
    for (const one of advice) {
      const slot = one.unit === 'requests' ? state.policies.slotOf(policyNameOf(one)) : undefined;
      if (slot === undefined) continue;
      // A policy that this answer taught has not counted the request. Its slot had room for everything.
      const uncounted = isFree(reservation.verdicts[slot]) ? 1 : 0;
      const ours = isFree(verdicts[slot]) ? state.policies.limitOf(slot, state.steps).quota : verdicts[slot]?.remaining;
      const units = Math.max(uncounted, (ours ?? 0) - (one.remaining ?? Number.POSITIVE_INFINITY));
      if (units > 0) found.set(slot, units);
    }
    return found;
  }
}

/** Whether a slot had no policy. */
function isFree(verdict: Verdict | undefined): boolean {
  return verdict?.limit.algorithm === 'unlimited';
}

/**
 * The longest time for which a server takes nothing: its limit is 0, or it has nothing left and states no windows to count
 * by. A server that states a longer time than an hour is asked again after an hour.
 */
function longestEmptyMs(advice: readonly Advice[]): number {
  const stated = advice.filter(({ unit }) => unit === 'requests' || unit === 'concurrent-requests');
  const areCounted = stated.some(
    ({ unit, limit, windowMs }) => unit === 'requests' && limit !== 0 && windowMs !== undefined,
  );
  const times = stated.map(({ unit, limit, remaining, windowMs = 0, resetAfterMs }) => {
    if (limit === 0) return resetAfterMs ?? windowMs;
    return unit === 'requests' && remaining === 0 && !areCounted ? (resetAfterMs ?? 0) : 0;
  });
  return Math.min(LONGEST_BELIEF_MS, Math.max(0, ...times));
}

/** A correction that fails changes nothing. A failing store has published it as an event. */
function ignored(): void {}
