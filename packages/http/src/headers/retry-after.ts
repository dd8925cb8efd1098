// Why it is so: core/docs/why/fields-and-refusals.md

import { delaysRetry } from '@sluice/core/src/limiter/decision-builder';
import type { HeaderItem } from './item.js';
import { statedLimit } from './stated-limit.js';

/**
 * Returns the value of `Retry-After` in seconds (RFC 9110 section 10.2.3): the longest wait of the limits that a
 * refused request has to wait for, at least 1. Undefined if there is no wait, or if waiting does not help because one
 * of them can never admit this request.
 *
 * It is never earlier than the end of the effective window of a limit that refused, as draft-11 section 6 requires.
 */
export function retryAfterSeconds(items: readonly HeaderItem[]): number | undefined {
  let longest: number | undefined;
  for (const item of items) {
    if (!delaysRetry(item)) continue;
    const { seconds } = statedLimit(item);
    if (seconds === undefined) return undefined;
    longest = Math.max(longest ?? 1, seconds);
  }
  return longest;
}
