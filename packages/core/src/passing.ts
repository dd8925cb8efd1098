import type { Verdict } from './decision.js';
import type { Limit } from './limit.js';

const NO_WAIT = { resetAfterMs: 0, retryAfterMs: 0, delayMs: 0 } as const;

/**
 * A limit that lets everything pass: an unlimited tier, a skipped request, or one that no store answers about and that
 * refuses nobody meanwhile.
 */
export function passing(name: string, limit: Limit, cost = 0): Verdict {
  return { name, limit, cost, allowed: true, remaining: limit.quota, ...NO_WAIT };
}
