import { allowedVerdict, type LimitAnswer, verdictOf } from '../stores/reply.js';
import type { LimitCheck } from '../stores/store.js';
import type { Verdict } from '../values/decision.js';

/** The wait of a refused caller if no store can say how long it is. */
const DENIED_RETRY_MS = 1000;

/** Refuses in place of a failed store. Nobody knows what counts there, so `used` is 0. */
export const DENIED: LimitAnswer = {
  allowed: false,
  remaining: 0,
  used: 0,
  resetAfterMs: DENIED_RETRY_MS,
  retryAfterMs: DENIED_RETRY_MS,
  delayMs: 0,
};

/** The verdict in place of a failed store. An unlimited tier needs no store. */
export function fallbackVerdict(check: LimitCheck, source: 'allow' | 'deny'): Verdict {
  if (source === 'allow' || check.limit.algorithm === 'unlimited') return allowedVerdict(check);
  return verdictOf(check, DENIED);
}
