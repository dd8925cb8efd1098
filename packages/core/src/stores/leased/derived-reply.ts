import type { Verdict } from '../../values/decision.js';
import { age, verdictOf } from '../reply.js';
import type { Ask, Change, ChangeReply, Check, Reply } from '../store.js';

/**
 * The store's reply about other limits or costs, as one about those that were asked. What counts by a stricter limit
 * stays `used`: units that it counts for longer, or that are missing from its smaller bucket.
 */
export function asAsked({ checks }: Ask, reply: Reply): Reply {
  if (reply.outsideEdges) return reply;
  return { ...reply, verdicts: reply.verdicts.map((verdict, i) => verdictOf(checks[i] as Check, verdict)) };
}

/**
 * The store's reply to a change of other limits, as one about those that were changed, with so many units more of each
 * check as `unitsOf` says.
 */
export function asChanged({ checks }: Change, reply: ChangeReply, unitsOf: (check: Check) => number): ChangeReply {
  const verdicts = reply.verdicts.map((verdict, i) => {
    const check = checks[i] as Check;
    return { ...verdictWith(verdict, unitsOf(check)), limit: check.limit };
  });
  return { ...reply, verdicts };
}

/** The reply to one who asked for `more` units besides, that have been spent already, as one about his own. */
export function withoutMore({ checks }: Ask, reply: Reply, more: number): Reply {
  const spent = reply.allowed ? 0 : more;
  const verdicts = reply.verdicts.map((verdict, i) => {
    const { cost } = checks[i] as Check;
    const remaining = Math.max(0, verdict.remaining - spent);
    const fits = remaining >= Math.max(1, cost);
    const allowed = reply.allowed || remaining >= cost;
    return {
      ...verdict,
      cost,
      allowed,
      remaining,
      used: verdict.used + spent,
      retryAfterMs: fits ? 0 : verdict.retryAfterMs,
    };
  });
  return { ...reply, verdicts };
}

/** A look's reply, as things stand with so many units more. */
export function withUnits(reply: Reply, units: number): Reply {
  if (units === 0 || reply.outsideEdges) return reply;
  const verdicts = reply.verdicts.map((verdict) => verdictWith(verdict, units));
  return { ...reply, allowed: verdicts.every(({ allowed, shadow }) => allowed || shadow), verdicts };
}

/** A look's verdict, as things stand with so many units more; with a negative number, with so many fewer. */
function verdictWith(verdict: Verdict, units: number): Verdict {
  if (units === 0) return verdict;
  const remaining = Math.max(0, verdict.remaining + units);
  const used = Math.max(0, verdict.used - units);
  if (remaining >= Math.max(1, verdict.cost)) return { ...verdict, remaining, used, allowed: true, retryAfterMs: 0 };
  const { allowed, cost, resetAfterMs } = verdict;
  // What fits there and not here does when the key is as fresh, at the latest.
  const retryAfterMs = verdict.retryAfterMs || unlessNow(resetAfterMs);
  return { ...verdict, remaining, used, allowed: allowed && remaining >= cost, retryAfterMs };
}

/**
 * The verdict about a check when so many units more are spent than the store knew of (fewer, where they are negative),
 * `agoMs` after it gave the verdict `there` about its limit. What has ceased to count since then is not known here, and
 * still `used`.
 */
export function laterVerdict(check: Check, there: Verdict, spent: number, isAdmitted: boolean, agoMs: number): Verdict {
  const remaining = Math.max(0, there.remaining - spent);
  const fits = remaining >= Math.max(1, check.cost);
  const resetAfterMs = age(there.resetAfterMs, agoMs);
  return verdictOf(check, {
    allowed: isAdmitted || fits,
    remaining,
    used: Math.max(0, there.used + spent),
    // A key of which units were spent here is not fresh, whatever the store knew.
    resetAfterMs: spent > 0 ? unlessNow(resetAfterMs) : resetAfterMs,
    retryAfterMs: fits ? 0 : unlessNow(age(there.retryAfterMs, agoMs)),
    delayMs: 0,
  });
}

/** A wait that is not over, however short. */
function unlessNow(waitMs: number | 'never'): number | 'never' {
  return waitMs === 0 ? 1 : waitMs;
}
