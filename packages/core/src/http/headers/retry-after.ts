import { delaysRetry } from '../../limiter/decision-builder.js';
import { effectiveSeconds, type HeaderItem } from './item.js';

/**
 * The value of `Retry-After` in seconds (RFC 9110 section 10.2.3): the longest of the limits that a refused request has
 * to wait for, at least 1. Undefined when there is none, and when waiting does not help because one of them can never
 * let this request pass.
 *
 * Never earlier than the end of the effective window of a limit that refused, as draft-11 section 6 asks.
 */
export function retryAfterSeconds(items: readonly HeaderItem[]): number | undefined {
  let longest: number | undefined;
  for (const item of items) {
    if (!delaysRetry(item.verdict)) continue;
    const seconds = effectiveSeconds(item);
    if (seconds === undefined) return undefined;
    longest = Math.max(longest ?? 1, seconds);
  }
  return longest;
}
