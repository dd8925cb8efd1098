import { MemoryStore, type Options } from 'express-rate-limit';
import type { Contender } from '../../contender.js';

/** Its store, and what its middleware makes of the store's answer. The store forgets no key before its time. */
export const expressRateLimit: Contender = ({ limit, windowMs }) => {
  const store = new MemoryStore();
  store.init({ windowMs } as Options);
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
    close: () => store.shutdown(),
  };
};
