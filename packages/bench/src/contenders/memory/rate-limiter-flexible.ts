import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Contender } from '../../contender.js';

/** Refuses by rejecting with what is no Error. A timer for each key forgets it; there is no most. */
export const rateLimiterFlexible: Contender = ({ limit, windowMs }) => {
  const limiter = new RateLimiterMemory({ points: limit, duration: windowMs / 1_000 });
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
};
