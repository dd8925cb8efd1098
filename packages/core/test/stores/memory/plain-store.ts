import type { Change, ChangeResponse, LimitCheck, StoreRequest, StoreResponse, Verdict } from '@sluice/core';
import type { LimitState } from '../../../src/algorithms/limit-state.js';
import { corrected } from '../../../src/stores/check-evaluation.js';
import { limitStateOf } from '../../algorithms/limit-state-of.js';

type PlainKeyState = Parameters<LimitState['writeTo']>[0];

/** The shortest correct store: an object for each key in a Map. Keys never expire. */
export class PlainStore {
  readonly #codec = new Map<string, PlainKeyState>();

  get size(): number {
    return this.#codec.size;
  }

  consume({ checks, peek, id }: StoreRequest, nowMs: number): StoreResponse {
    const limitStates = checks.map((check) => this.#limitState(check, nowMs));
    const allows = limitStates.map((limitState, i) => limitState.admits((checks[i] as LimitCheck).cost, 0, id));
    const allowed = allows.every(Boolean);
    const delays = limitStates.map((limitState, i) => (allows[i] ? limitState.delayMs : 0));
    for (const [i, limitState] of peek ? [] : limitStates.entries()) {
      const check = checks[i] as LimitCheck;
      const isChanged = allowed ? limitState.spend(check.cost, id) : limitState.refuse(check.cost, 0, true);
      if (isChanged) this.#write(check, limitState);
    }
    const verdicts = checks.map((check, i) =>
      verdictOf(check, limitStates[i] as LimitState, allows[i] as boolean, delays[i] as number),
    );
    return { atMs: nowMs, allowed, verdicts };
  }

  adjust(change: Change, nowMs: number): ChangeResponse {
    const { checks } = change;
    let isApplied = false;
    const verdicts = checks.map((check) => {
      const limitState = this.#limitState(check, nowMs);
      const isChanged = corrected(limitState, check, change);
      if (isChanged || limitState.isCorrected) this.#write(check, limitState);
      isApplied ||= isChanged;
      const allowed = limitState.admits(1, 0);
      return verdictOf({ ...check, cost: 1 }, limitState, allowed, allowed ? limitState.delayMs : 0);
    });
    return { atMs: nowMs, result: isApplied ? 'applied' : 'expired', verdicts };
  }

  #limitState(check: LimitCheck, nowMs: number): LimitState {
    return limitStateOf(check.limit, this.#codec.get(nameOf(check)), nowMs);
  }

  #write(check: LimitCheck, limitState: LimitState): void {
    const name = nameOf(check);
    const keyState = this.#codec.get(name) ?? { state: {}, blockEndsMs: 0, admittedMs: -1, strikes: 0, heldUntilMs: 0 };
    limitState.writeTo(keyState);
    if (limitState.keptMs === 0) this.#codec.delete(name);
    else this.#codec.set(name, keyState);
  }
}

function nameOf({ policy, name, limit, key }: LimitCheck): string {
  return JSON.stringify([policy, name, limit.algorithm, key]);
}

function verdictOf(
  { name, limit, cost }: LimitCheck,
  limitState: LimitState,
  allowed: boolean,
  delayMs: number,
): Verdict {
  const { remaining, used, resetAfterMs } = limitState;
  const retryAfterMs = limitState.untilMs(Math.max(1, cost));
  return { name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
}
