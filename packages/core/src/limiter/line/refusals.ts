import type { Decision, Verdict } from '../../values/decision.js';
import { usesSlots } from '../../values/limit.js';
import { decide, delaysRetry, longer } from '../decision-builder.js';

/** The wait of a refused caller if nobody can say how long it is. */
export const UNKNOWN_WAIT_MS = 1000;

/**
 * Returns the wait until no limit refuses. Concurrency limits without room are left out, because nobody knows when
 * they have some.
 */
export function certainRetryMs({ verdicts }: Decision): number | 'never' {
  return verdicts
    .filter(delaysRetry)
    .map((verdict) => (waitsForSlot(verdict) && verdict.retryAfterMs !== 'never' ? 0 : verdict.retryAfterMs))
    .reduce(longer, 0);
}

/** Whether somebody else has to free a slot. A key that is blocked although there is a slot waits for a known time. */
function waitsForSlot({ limit, cost, used, blocked, guaranteed }: Verdict): boolean {
  if (!usesSlots(limit)) return false;
  return !blocked || guaranteed !== undefined || used + cost > limit.quota;
}

/** Returns the same decision as a refusal until the delay is short enough. */
export function tooLate(decision: Decision, leftMs: number): Decision {
  const refuse = (verdict: Verdict): Verdict =>
    !verdict.shadow && verdict.delayMs > leftMs
      ? { ...verdict, allowed: false, retryAfterMs: verdict.delayMs - leftMs, delayMs: 0 }
      : verdict;
  return decide(decision.policy, decision.verdicts.map(refuse), decision.source);
}

/**
 * Returns a decision as a refusal because of others who wait for the same limits.
 *
 * @param waitsMs - by position: how long these limits certainly have no room for those who are next
 */
export function refusedInLine(decision: Decision, waitsMs: ReadonlyMap<number, number>): Decision {
  const longestMs = Math.max(...waitsMs.values());
  const refuse = (verdict: Verdict, i: number): Verdict => {
    const waitMs = waitsMs.get(i);
    if (waitMs === undefined || waitMs < longestMs) return verdict;
    const retryAfterMs = longer(verdict.retryAfterMs, Math.max(1, waitMs));
    return { ...verdict, allowed: false, retryAfterMs, delayMs: 0 };
  };
  return decide(decision.policy, decision.verdicts.map(refuse), decision.source);
}
