import type { Verdict } from '../../values/decision.js';
import type { Ask, Change, ChangeReply, Check, Reply } from '../store.js';

/**
 * The store's reply about other limits or costs, as one about those that were asked. What counts by a stricter limit
 * stays `used`: units that it counts for longer, or that are missing from its smaller bucket.
 */
export function asAsked({ checks }: Ask, reply: Reply): Reply {
  if (reply.outsideEdges) return reply;
  const verdicts = reply.verdicts.map((verdict, i) => {
    const { limit, cost } = checks[i] as Check;
    return { ...verdict, limit, cost };
  });
  return { ...reply, verdicts };
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
  const retryAfterMs = verdict.retryAfterMs || (resetAfterMs === 'never' ? resetAfterMs : Math.max(1, resetAfterMs));
  return { ...verdict, remaining, used, allowed: allowed && remaining >= cost, retryAfterMs };
}

/**
 * The verdict about a check when so many units more are spent than the store knew of (fewer, where they are negative),
 * `agoMs` after it gave the verdict `there` about its limit. What has ceased to count since then is not known here, and
 * still `used`.
 */
export function laterVerdict(
  { name, limit, cost }: Check,
  there: Verdict,
  spent: number,
  isAdmitted: boolean,
  agoMs: number,
): Verdict {
  const remaining = Math.max(0, there.remaining - spent);
  const fits = remaining >= Math.max(1, cost);
  return {
    name,
    limit,
    cost,
    allowed: isAdmitted || fits,
    remaining,
    used: Math.max(0, there.used + spent),
    resetAfterMs: later(there.resetAfterMs, agoMs),
    retryAfterMs: fits ? 0 : later(there.retryAfterMs, agoMs),
    delayMs: 0,
  };
}

/** A wait as it stands some time later; what has not come about by then is near. */
function later(waitMs: number | 'never', agoMs: number): number | 'never' {
  return waitMs === 'never' ? waitMs : Math.max(1, waitMs - agoMs);
}
