import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Answer } from '../answer.js';
import type { Decider } from '../contender.js';

/** It refuses by rejecting with what is no Error. */
export function flexibleDecider(limiter: RateLimiterAbstract, limit: number): Decider {
  const consume = async (key: string, cost: number, answer: Answer): Promise<void> => {
    let result: RateLimiterRes;
    try {
      result = await limiter.consume(key, cost);
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
  };
  return {
    isAsync: true,
    decide: (key, answer) => consume(key, 1, answer),
    decideCost: consume,
    close: () => undefined,
  };
}
