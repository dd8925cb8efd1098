import type { Verdict } from '../decision.js';
import type { Ask, Check, Reply } from '../store.js';

/** The store's reply about other limits or costs, as one about those that were asked. */
export function asAsked({ checks }: Ask, reply: Reply): Reply {
  if (reply.outsideEdges) return reply;
  const verdicts = reply.verdicts.map((verdict, i) => {
    const { limit, cost } = checks[i] as Check;
    return { ...verdict, limit, cost };
  });
  return { ...reply, verdicts };
}

/** A look's reply, as things stand with so many units more. */
export function withUnits(reply: Reply, units: number): Reply {
  const verdicts = reply.verdicts.map((verdict) => {
    const remaining = Math.max(0, verdict.remaining + units);
    const fits = remaining >= Math.max(1, verdict.cost);
    return { ...verdict, remaining, ...(fits && { allowed: true, retryAfterMs: 0 }) };
  });
  return { ...reply, allowed: verdicts.every(({ allowed, shadow }) => allowed || shadow), verdicts };
}

/**
 * The verdict about a check with `remaining` units left, `agoMs` after the store gave the verdict `there` about its
 * limit.
 */
export function laterVerdict(
  { name, limit, cost }: Check,
  there: Verdict,
  remaining: number,
  isAdmitted: boolean,
  agoMs: number,
): Verdict {
  const fits = remaining >= Math.max(1, cost);
  return {
    name,
    limit,
    cost,
    allowed: isAdmitted || fits,
    remaining,
    resetAfterMs: later(there.resetAfterMs, agoMs),
    retryAfterMs: fits ? 0 : later(there.retryAfterMs, agoMs),
    delayMs: 0,
  };
}

/** A wait as it stands some time later; what has not come about by then is near. */
function later(waitMs: number | 'never', agoMs: number): number | 'never' {
  return waitMs === 'never' ? waitMs : Math.max(1, waitMs - agoMs);
}
