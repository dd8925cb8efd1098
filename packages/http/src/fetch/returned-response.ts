import type { Decision } from '@sluice/core/src/values/decision';
import type { LimiterOptions } from '../options/limiter-options.js';
import type { HttpOptions } from '../options/options.js';

/**
 * Lets an `onLimitReached` return the `Response` to send, in a framework over fetch.
 *
 * @param keep - gets the response, and what the callback got
 */
export function withReturnedResponse<
  A extends readonly unknown[],
  O extends HttpOptions<A> | LimiterOptions<A> = HttpOptions<A> | LimiterOptions<A>,
>(options: O, keep: (response: Response, ...args: [...A, decision: Decision]) => void): O {
  const { onLimitReached } = options;
  if (typeof onLimitReached !== 'function') return options;
  return {
    ...options,
    onLimitReached: async (...args: [...A, decision: Decision]) => {
      const returned = await onLimitReached(...args);
      if (isResponse(returned)) keep(returned, ...args);
    },
  };
}

/** Whether a value is a `Response`. Servers may replace the global class with their own. */
export function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'status' in value && 'headers' in value && 'body' in value;
}
