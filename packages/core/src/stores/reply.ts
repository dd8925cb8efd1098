import type { Verdict } from '../values/decision.js';
import { unlimited } from '../values/limit.js';
import type { Writable } from '../values/writable.js';
import type { LimitCheck, StoreRequest } from './store.js';

/** The fields of a verdict that do not come from its check. */
export type LimitAnswer = Pick<
  Verdict,
  'allowed' | 'remaining' | 'used' | 'resetAfterMs' | 'retryAfterMs' | 'delayMs' | 'overQuota'
> & {
  /** Whether the key is blocked. */
  readonly blocked?: boolean | undefined;
};

/** The fields of a check that its verdict repeats. */
type Checked = Pick<LimitCheck, 'name' | 'limit' | 'cost' | 'shadow'>;

/** Builds the verdict of a check. A copy with further members would be slow: see "Copies" in `packages/bench/docs/v8.md`. */
export function verdictOf({ name, limit, cost, shadow }: Checked, answer: LimitAnswer): Verdict {
  const { allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs } = answer;
  const { overQuota, blocked } = answer;
  const verdict: Writable<Verdict> = shadow
    ? { name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs, shadow }
    : { name, limit, cost, allowed, remaining, used, resetAfterMs, retryAfterMs, delayMs };
  if (overQuota) verdict.overQuota = overQuota;
  if (blocked) verdict.blocked = true;
  return verdict;
}

/**
 * Verdicts with text in their fields for numbers, and made before all others, so that V8 lays out all verdicts like them: with fields that
 * take any value as it is. In a field that has had nothing but numbers, and one of them a fraction, each number is an object of its own.
 * They have to be kept as long as the program runs. See "Objects and fields" in `packages/bench/docs/v8.md`.
 *
 * Without these and `LAID_OUT_DECISIONS`, each decision leaves about 220 bytes more: a refused one of a fixed window 1,500 in place of
 * 1,276, of a sliding window 1,756 in place of 1,532 (`npm run bench -- --scale tiny allocation`, hot key, refused).
 */
export const LAID_OUT_VERDICTS: readonly Verdict[] = ([{}, { shadow: true }] as const).map((kind) => {
  const text = 'never' as never;
  return verdictOf(
    { name: '', limit: unlimited(), cost: text, ...kind },
    { allowed: true, remaining: text, used: text, resetAfterMs: text, retryAfterMs: text, delayMs: text },
  );
});

/**
 * The verdict of a limit that allows everything: an unlimited tier, a skipped request, or a limit whose store failed
 * and that refuses no request meanwhile. Nothing is counted, so nothing is used.
 */
export function allowedVerdict(check: Checked): Verdict {
  const remaining = check.limit.quota;
  return verdictOf(check, { allowed: true, remaining, used: 0, resetAfterMs: 0, retryAfterMs: 0, delayMs: 0 });
}

/**
 * Returns a wait of an earlier response, `agoMs` later. A wait of 0 stays 0: the key was at its full quota, or the units
 * fitted. Any other wait is at least 1, because only the store knows whether it is over.
 */
export function age(waitMs: number | 'never', agoMs: number): number | 'never' {
  return waitMs === 'never' || waitMs === 0 ? waitMs : Math.max(1, waitMs - agoMs);
}

/** Whether two checks of the same state ask for the same, so that one decision holds for both. */
export function sameCheck(one: LimitCheck, other: LimitCheck): boolean {
  return (
    one.limit === other.limit &&
    one.cost === other.cost &&
    one.margin === other.margin &&
    one.shadow === other.shadow &&
    haveSameParts(one.parts, other.parts)
  );
}

function haveSameParts(one: LimitCheck['parts'], other: LimitCheck['parts']): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.lend === other.lend && sameCheck(one.own, other.own) && sameCheck(one.all, other.all);
}

/** Whether a request only spends: no peek, renewal, id, partial spending or deadline. Most requests do. */
export function isSimpleSpend({ peek, renew, id, holdMs, atLeast, notAfterMs }: StoreRequest): boolean {
  return (
    !peek && !renew && id === undefined && holdMs === undefined && atLeast === undefined && notAfterMs === undefined
  );
}
