import type { Verdict } from '../../values/decision.js';

/** The RateLimit Quota Units registry of draft-ietf-httpapi-ratelimit-headers-11 section 3.1.2; draft 8 has the same. */
const REGISTERED: ReadonlySet<string> = new Set(['requests', 'content-bytes', 'concurrent-requests']);

/** What a unit of a limit is, as `qu` says it. */
export function unitOf({ limit, quotaUnit = 'requests' }: Pick<Verdict, 'limit' | 'quotaUnit'>): string {
  return limit.algorithm === 'concurrency' ? 'concurrent-requests' : quotaUnit;
}

/** Whether `RateLimit` fields have a word for the limit's unit. */
export function hasRegisteredUnit(verdict: Verdict): boolean {
  return REGISTERED.has(unitOf(verdict));
}

/** Whether a limit counts requests: the unit that fields without room for a unit are about. */
export function countsRequests(verdict: Verdict): boolean {
  return unitOf(verdict) === 'requests';
}
