import { createLimiter, type Limit, MemoryStore } from '@sluice/core';
import type { Contender, Quota } from '../../contender.js';

export const sluice =
  (limitOf: (quota: Quota) => Limit): Contender =>
  (quota) => {
    const { maxKeys, clock } = quota;
    const store = new MemoryStore({ ...(maxKeys && { maxKeys }), ...(clock && { clock }) });
    const limiter = createLimiter({ limit: limitOf(quota), store });
    return {
      isAsync: false,
      decide(key, answer) {
        const decision = limiter.consume(key);
        const { allowed, tightest, retryAfterMs } = decision;
        answer.decision = decision;
        answer.allowed = allowed;
        answer.limit = tightest.limit.quota;
        answer.remaining = tightest.remaining;
        answer.resetMs = tightest.resetAfterMs;
        answer.retryMs = retryAfterMs;
      },
      close: () => store.close(),
    };
  };
