import { createLimiter, type Limit } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import type { Contender, Quota } from '../../contender.js';

/** Longer than any answer takes on a busy machine: what the process itself would decide meanwhile is not Redis's answer. */
const TIMEOUT = '10s';

export const sluiceOverRedis =
  (limitsOf: (quota: Quota) => readonly Limit[]): Contender<[Redis]> =>
  (quota, client) => {
    const store = new RedisStore({ client, timeout: TIMEOUT });
    const limiter = createLimiter<string, true>({ limits: limitsOf(quota), store });
    return {
      isAsync: true,
      async decide(key, answer) {
        const { source, allowed, tightest, retryAfterMs } = await limiter.consume(key);
        if (source !== 'store') throw new Error(`Not Redis has answered, but ${source}`);
        answer.allowed = allowed;
        answer.limit = tightest.limit.quota;
        answer.remaining = tightest.remaining;
        answer.resetMs = tightest.resetAfterMs;
        answer.retryMs = retryAfterMs;
      },
      close: () => store.close(),
    };
  };
