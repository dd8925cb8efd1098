import type { Standing } from '../algorithms/standing.js';
import type { Verdict } from '../decision.js';
import type { Check } from '../store.js';
import type { Entry } from './entry.js';

/** What a new key is told to wait when there is no room for it. */
const NO_ROOM_RETRY_MS = 1000;

/** A check with the standing that answers it. */
export interface Question {
  readonly check: Check;
  readonly entry: Entry | undefined;
  readonly standing: Standing;
  readonly allowed: boolean;
  readonly delayMs: number;
  /** A new key that a full store has no place for. */
  readonly hasNoRoom: boolean;
}

export function verdictOf({ check, standing, allowed, delayMs, hasNoRoom }: Question): Verdict {
  const verdict: Verdict = {
    name: check.name,
    limit: check.limit,
    cost: check.cost,
    allowed,
    remaining: hasNoRoom ? 0 : standing.remaining,
    resetAfterMs: standing.resetAfterMs,
    retryAfterMs: hasNoRoom ? NO_ROOM_RETRY_MS : standing.untilMs(Math.max(1, check.cost)),
    delayMs,
  };
  return check.shadow ? { ...verdict, shadow: true } : verdict;
}

/** The units that every enforced check has, up to its cost: what an ask with `atLeast` takes. */
export function mostThatFits(questions: readonly Question[]): number {
  const enforced = questions.filter(({ check }) => !check.shadow);
  // Where none is enforced, nothing is in the way of the largest cost.
  const largest = Math.max(0, ...questions.map(({ check }) => check.cost));
  return Math.min(largest, ...enforced.map(({ check, standing }) => Math.min(check.cost, standing.remaining)));
}
