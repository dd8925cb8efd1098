import { definitionOf } from '@sluice/core/src/algorithms/definitions';
import { enforcedAs } from '@sluice/core/src/stores/operation-record';
import { age, verdictOf } from '@sluice/core/src/stores/reply';
import type { Change, ChangeResponse, LimitCheck, StoreRequest, StoreResponse } from '@sluice/core/src/stores/store';
import type { Verdict } from '@sluice/core/src/values/decision';

/**
 * Turns a response about stricter limits or other costs into one about the checks of the request. `used` keeps the units of
 * the stricter limit: units that it counts for longer, or that are missing from its smaller bucket. A repeated response knows
 * which checks were enforced when it was made.
 */
export function asAsked({ checks }: StoreRequest, response: StoreResponse): StoreResponse {
  if (response.outsideCalendarBounds) return response;
  return {
    ...response,
    verdicts: response.verdicts.map((verdict, i) => verdictAsAsked(checks[i] as LimitCheck, verdict)),
  };
}

function verdictAsAsked(check: LimitCheck, verdict: Verdict): Verdict {
  return verdictOf(enforcedAs(check, verdict.shadow === true), verdict);
}

/**
 * Turns a response to a change of stricter limits into one about the checks of the change. `unitsOf` says how many more
 * units each check has.
 */
export function asChanged(
  { checks }: Change,
  response: ChangeResponse,
  unitsOf: (check: LimitCheck) => number,
): ChangeResponse {
  const verdicts = response.verdicts.map((verdict, i) => {
    const check = checks[i] as LimitCheck;
    return verdictWith({ ...verdict, limit: check.limit }, unitsOf(check));
  });
  return { ...response, verdicts };
}

/** Turns a response about the cost and `more` units, which are already spent, into one about the cost alone. */
export function withoutMore({ checks }: StoreRequest, response: StoreResponse, more: number): StoreResponse {
  const spent = response.allowed ? 0 : more;
  const verdicts = response.verdicts.map((verdict, i) => {
    const { cost } = checks[i] as LimitCheck;
    const remaining = Math.max(0, verdict.remaining - spent);
    const fits = remaining >= Math.max(1, cost);
    const allowed = response.allowed || remaining >= cost;
    return {
      ...verdict,
      cost,
      allowed,
      remaining,
      used: verdict.used + spent,
      retryAfterMs: fits ? 0 : verdict.retryAfterMs,
    };
  });
  return { ...response, verdicts };
}

/** Returns the response to a peek as if this many more units were available. */
export function withUnits(response: StoreResponse, units: number): StoreResponse {
  if (units === 0 || response.outsideCalendarBounds) return response;
  const verdicts = response.verdicts.map((verdict) => verdictWith(verdict, units));
  return { ...response, allowed: verdicts.every(({ allowed, shadow }) => allowed || shadow), verdicts };
}

/**
 * Returns the verdict of a peek as if this many more units were available; fewer, if the number is negative. A refund may have given back
 * units that this process holds, but no more is left than the limit.
 */
function verdictWith(verdict: Verdict, units: number): Verdict {
  if (units === 0) return verdict;
  const most = Math.max(verdict.limit.quota, verdict.remaining);
  const remaining = Math.max(0, Math.min(most, verdict.remaining + units));
  const used = Math.max(0, verdict.used - units);
  if (remaining >= Math.max(1, verdict.cost)) {
    // Units that this process holds can be spent although the key was blocked meanwhile.
    const { blocked: _, ...free } = verdict;
    return { ...free, remaining, used, allowed: true, retryAfterMs: 0 };
  }
  const { allowed, cost, resetAfterMs } = verdict;
  // A request that fits in the store and not here fits at the latest when the key is back to its full quota.
  const retryAfterMs = verdict.retryAfterMs || unlessNow(resetAfterMs);
  return { ...verdict, remaining, used, allowed: allowed && remaining >= cost, retryAfterMs };
}

/**
 * Returns a check's verdict, `agoMs` after the store's verdict `there`, if `spent` more units are spent than the store
 * knew of (fewer, if it is negative). Units that have expired since then are not known here, and stay `used`.
 */
export function laterVerdict(
  check: LimitCheck,
  there: Verdict,
  spent: number,
  isAdmitted: boolean,
  agoMs: number,
): Verdict {
  const remaining = Math.max(0, there.remaining - spent);
  const fits = remaining >= Math.max(1, check.cost);
  return verdictOf(check, {
    allowed: isAdmitted || fits,
    remaining,
    used: Math.max(0, there.used + spent),
    resetAfterMs: resetAfter(check, there, spent, agoMs),
    retryAfterMs: fits ? 0 : unlessNow(age(there.retryAfterMs, agoMs)),
    delayMs: 0,
    blocked: !isAdmitted && !fits && there.blocked,
  });
}

/**
 * Returns the time until a key is fresh again if more units are spent than the store knew of, the last of them now. A window that is
 * over there begins anew with them.
 */
function resetAfter({ limit }: LimitCheck, { resetAfterMs }: Verdict, spent: number, agoMs: number): number | 'never' {
  const leftMs = age(resetAfterMs, agoMs);
  if (spent <= 0 || leftMs === 'never') return leftMs;
  const definition = definitionOf(limit);
  if (definition.refillMs) {
    const backMs = definition.refillMs(limit, spent);
    return backMs === undefined ? 'never' : leftMs + backMs;
  }
  const isOver = leftMs <= 1;
  return definition.lease?.endsAtReset && !isOver ? leftMs : Math.max(leftMs, definition.spanMs(limit));
}

/** Returns a wait that is not over: at least 1. */
function unlessNow(waitMs: number | 'never'): number | 'never' {
  return waitMs === 0 ? 1 : waitMs;
}
