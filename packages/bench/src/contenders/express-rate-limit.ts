import type { Store } from 'express-rate-limit';
import type { Decider } from '../contender.js';

/** Asks a store of express-rate-limit, and makes of its answer what the middleware makes. */
export function storeDecider(store: Pick<Store, 'increment'>, limit: number, close: () => unknown): Decider {
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
    close,
  };
}
