import type { Options } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import type { Contender } from '../../contender.js';

/** The store that express-rate-limit names for Redis, and what its middleware makes of the answer. */
export const rateLimitRedis: Contender<[Redis]> = async ({ limit, windowMs }, client) => {
  const store = new RedisStore({
    sendCommand: (command, ...args) => client.call(command, ...args) as Promise<string>,
  });
  await store.init({ windowMs } as Options);
  return {
    isAsync: true,
    async decide(key, answer) {
      const { totalHits, resetTime } = await store.increment(key);
      answer.allowed = totalHits <= limit;
      answer.limit = limit;
      answer.remaining = Math.max(limit - totalHits, 0);
      answer.resetMs = (resetTime as Date).getTime() - Date.now();
      answer.retryMs = answer.allowed ? 0 : answer.resetMs;
    },
    close: () => undefined,
  };
};
