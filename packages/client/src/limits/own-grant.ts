import type { Clock, Limiter, Reservation, Verdict } from '@sluice/core';
import type { Outcome } from '../engine/exchange.js';
import type { Grant } from '../engine/outgoing-limiter.js';
import type { RetryBudget } from '../engine/retry-budget.js';
import type { Advice } from '../headers/advice.js';
import { type Charges, lengtheningOf, type Outgoing } from './client-policy.js';
import { endReservation } from './end-reservation.js';
import type { KeyState } from './key-state.js';
import { policyNameOf } from './learned-policies.js';
import { addedSteps, stepsOf } from './lengthening.js';

const TOO_MANY_REQUESTS = 429;

/** What a grant is made of. */
interface GrantParts {
  readonly limiter: Limiter<Outgoing>;
  readonly clock: Clock;
  readonly state: KeyState;
  readonly reservation: Reservation<boolean>;
  /** By how many hundredths windows were longer when it was granted. */
  readonly steps: number;
  readonly holdsSlot: boolean;
  /** Lets the requests go that wait for the first answer. */
  readonly answered: (() => void) | undefined;
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
    return this.#parts.holdsSlot;
  }

  async learn({ head, advice }: Outcome): Promise<void> {
    const { state, clock, answered } = this.#parts;
    state.policies.learn(advice, clock.now());
    const isRefused = head?.status === TOO_MANY_REQUESTS;
    if (isRefused || this.#shortfalls(advice, this.#parts.reservation.verdicts).size > 0) {
      const correction = state.corrections.then(() => this.#correct(advice, isRefused)).catch(ignored);
      state.corrections = correction;
      await correction;
    }
    const emptyMs = longestEmptyMs(advice);
    if (emptyMs > 0) await this.block(emptyMs);
    answered?.();
  }

  block(ms: number): Promise<void> {
    return this.#parts.state.stop.begin(ms);
  }

  ended(): void {
    const { holdsSlot, reservation } = this.#parts;
    if (holdsSlot) endReservation(reservation);
  }

  /** Charges what the server has counted and we have not, and lengthens the windows after a refusal. */
  async #correct(advice: readonly Advice[], isRefused: boolean): Promise<void> {
    const { limiter, state, steps } = this.#parts;
    const { verdicts } = await limiter.peek({ state });
    const added = isRefused ? addedSteps(steps, lengtheningOf(verdicts)) : { current: 0, least: 0 };
    const charges: Charges = { ...added, policies: this.#shortfalls(advice, verdicts) };
    const isNothing = added.current === 0 && added.least === 0 && charges.policies?.size === 0;
    const now = isNothing ? verdicts : (await limiter.charge({ state, charges })).verdicts;
    state.steps = stepsOf(lengtheningOf(now));
  }

  /** By slot, how many units less the server has than our verdicts say. */
  #shortfalls(advice: readonly Advice[], verdicts: readonly Verdict[]): ReadonlyMap<number, number> {
    const { policies } = this.#parts.state;
    const found = new Map<number, number>();
    for (const one of advice) {
      const slot =
        one.remaining === undefined || one.unit !== 'requests' ? undefined : policies.slotOf(policyNameOf(one));
      if (slot === undefined) continue;
      // A policy that this answer taught has no verdict of its own yet: a free slot has room for everything.
      const ours = Math.min(verdicts[slot]?.remaining ?? 0, policies.limitOf(slot, this.#parts.state.steps).quota);
      const units = ours - Math.ceil(Math.max(0, one.remaining as number));
      if (units > 0) found.set(slot, units);
    }
    return found;
  }
}

/** The longest time for which a server has nothing left that states no windows to count by. */
function longestEmptyMs(advice: readonly Advice[]): number {
  const requests = advice.filter(({ unit }) => unit === 'requests');
  if (requests.some(({ windowMs }) => windowMs !== undefined)) return 0;
  return Math.max(0, ...requests.map(({ remaining, resetAfterMs = 0 }) => (remaining === 0 ? resetAfterMs : 0)));
}

/** A correction that fails changes nothing. A failing store has published it as an event. */
function ignored(): void {}
