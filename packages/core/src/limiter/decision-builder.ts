// Why it is so: docs/why/verdicts.md

import { LAID_OUT_VERDICTS } from '../stores/reply.js';
import type { Decision, Verdict } from '../values/decision.js';
import type { Writable } from '../values/writable.js';

/**
 * Makes a Decision from the verdicts of its limits. One limit needs no lists: with them, a decision in memory takes 60 % longer
 * (`npm run bench -- in-process`).
 */
export function decide(policy: string, verdicts: readonly Verdict[], source: Decision['source']): Decision {
  if (verdicts.length !== 1) return decideSeveral(policy, verdicts, source);
  const only = verdicts[0] as Verdict;
  const isRefused = !only.allowed && !only.shadow;
  const shadowed = !only.allowed && only.shadow === true;
  const decision: Writable<Decision> = {
    policy,
    allowed: !isRefused,
    verdicts,
    tightest: only,
    retryAfterMs: isRefused ? only.retryAfterMs : 0,
    delayMs: only.shadow ? 0 : only.delayMs,
    shadowed,
    source,
  };
  if (isExceeded(only)) decision.exceeded = true;
  return decision;
}

function decideSeveral(policy: string, verdicts: readonly Verdict[], source: Decision['source']): Decision {
  const isEnforced = verdicts.some(({ shadow }) => !shadow);
  let tightest: Verdict | undefined;
  let allowed = true;
  let delayMs = 0;
  let shadowed = false;
  let exceeded = false;
  for (const verdict of verdicts) {
    const { shadow } = verdict;
    if (!verdict.allowed) {
      if (shadow) shadowed = true;
      else allowed = false;
    }
    if (isExceeded(verdict)) exceeded = true;
    if (!shadow) delayMs = Math.max(delayMs, verdict.delayMs);
    // Limits in the shadow count only if there are no others.
    const isCandidate = !(isEnforced && shadow);
    if (isCandidate && (tightest === undefined || isTighter(verdict, tightest))) tightest = verdict;
  }
  const decision: Writable<Decision> = {
    policy,
    allowed,
    verdicts,
    tightest: tightest as Verdict,
    retryAfterMs: allowed ? 0 : longestRetry(verdicts),
    delayMs,
    shadowed,
    source,
  };
  if (exceeded) decision.exceeded = true;
  return decision;
}

function longestRetry(verdicts: readonly Verdict[]): Wait {
  let longest: Wait = 0;
  for (const verdict of verdicts) if (delaysRetry(verdict)) longest = longer(longest, verdict.retryAfterMs);
  return longest;
}

function isExceeded({ marked, allowed }: Verdict): boolean {
  return marked === true && !allowed;
}

/** Decisions with text in their fields for numbers. They come first, and are kept, like `LAID_OUT_VERDICTS`. */
export const LAID_OUT_DECISIONS: readonly Decision[] = LAID_OUT_VERDICTS.map((verdict) =>
  decide('', [{ ...verdict, allowed: false }], 'store'),
);

type Wait = number | 'never';

/** Returns the longer of two waits. `'never'` is longer than any other. */
export function longer(a: Wait, b: Wait): Wait {
  return a === 'never' || b === 'never' ? 'never' : Math.max(a, b);
}

/**
 * Whether a refused request has to wait for this limit. That may also be true for a limit that allowed it: if refusals
 * are counted, this request may have taken the last units.
 */
export function delaysRetry({ allowed, shadow, cost, retryAfterMs }: Verdict): boolean {
  return !shadow && (!allowed || (cost > 0 && retryAfterMs !== 0));
}

/**
 * Compares verdicts. Refused ones come first (`'never'`, then the longest retry), then the smallest remaining, then the
 * longest reset, then the first.
 */
export function isTighter(one: Verdict, other: Verdict): boolean {
  if (one.allowed !== other.allowed) return !one.allowed;
  if (!one.allowed) return isLonger(one.retryAfterMs, other.retryAfterMs);
  return one.remaining === other.remaining
    ? isLonger(one.resetAfterMs, other.resetAfterMs)
    : one.remaining < other.remaining;
}

function isLonger(a: Wait, b: Wait): boolean {
  return a !== b && longer(a, b) === a;
}
