import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Decider } from '../contender.js';

/** It refuses by rejecting with what is no Error. */
export function flexibleDecider(limiter: RateLimiterAbstract, limit: number): Decider {
  return {
    isAsync: true,
    async decide(key, answer) {
      let result: RateLimiterRes;
      try {
        result = await limiter.consume(key);
        answer.allowed = true;
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        result = refused;
        answer.allowed = false;
      }
      answer.limit = limit;
      answer.remaining = result.remainingPoints;
      answer.resetMs = result.msBeforeNext;
      answer.retryMs = answer.allowed ? 0 : result.msBeforeNext;
    },
    close: () => undefined,
  };
}
