import type { Verdict } from '../values/decision.js';

const NO_WAIT = { resetAfterMs: 0, retryAfterMs: 0, delayMs: 0 } as const;

/**
 * A limit that lets everything pass: an unlimited tier, a skipped request, or one that no store answers about and that
 * refuses nobody meanwhile. Nothing is counted, so nothing is used.
 */
export function allowedVerdict({
  name,
  limit,
  cost,
  shadow,
}: Pick<Verdict, 'name' | 'limit' | 'cost' | 'shadow'>): Verdict {
  return { name, limit, cost, allowed: true, remaining: limit.quota, used: 0, ...NO_WAIT, ...(shadow && { shadow }) };
}
