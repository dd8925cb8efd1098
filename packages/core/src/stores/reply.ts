import type { Verdict } from '../values/decision.js';
import type { Ask, Check } from './store.js';

/** What a verdict says beyond its check. */
export type LimitAnswer = Pick<Verdict, 'allowed' | 'remaining' | 'used' | 'resetAfterMs' | 'retryAfterMs' | 'delayMs'>;

/** What a verdict repeats of its check. */
type Checked = Pick<Check, 'name' | 'limit' | 'cost' | 'shadow'>;

/** The verdict about a check. Fields are written out, since a spread takes several times as long. */
export function verdictOf({ name, limit, cost, shadow }: Checked, answer: LimitAnswer): Verdict {
  const { allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs } = answer;
  const verdict = { name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  return shadow ? { ...verdict, shadow } : verdict;
}

/**
 * The verdict of a limit that allows everything: an unlimited tier, a skipped request, or a limit that no store answers
 * about and that refuses no request meanwhile. Nothing is counted, so nothing is used.
 */
export function allowedVerdict(check: Checked): Verdict {
  const remaining = check.limit.quota;
  return verdictOf(check, { allowed: true, remaining, used: 0, resetAfterMs: 0, retryAfterMs: 0, delayMs: 0 });
}

/**
 * A wait of an earlier answer, `agoMs` later. A wait of 0 stays 0: the key was fresh, or the units fitted. Any other is at
 * least 1, since only the store knows whether it is over.
 */
export function age(waitMs: number | 'never', agoMs: number): number | 'never' {
  return waitMs === 'never' || waitMs === 0 ? waitMs : Math.max(1, waitMs - agoMs);
}

/** Whether two checks of the same state ask for the same, so that one answer holds for both. */
export function sameCheck(one: Check, other: Check): boolean {
  return one.limit === other.limit && one.cost === other.cost && one.shadow === other.shadow;
}

/** Whether an ask spends and wants nothing else: no peek, renewal, id, partial spending or deadline. Most asks do. */
export function isSimpleSpend({ peek, renew, id, holdMs, atLeast, notAfterMs }: Ask): boolean {
  return (
    !peek && !renew && id === undefined && holdMs === undefined && atLeast === undefined && notAfterMs === undefined
  );
}
