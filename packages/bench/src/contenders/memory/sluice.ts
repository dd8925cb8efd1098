import { createLimiter, type Decision, type Limit, MemoryStore } from '@sluice/core';
import type { Answer } from '../../answer.js';
import type { Contender, Quota } from '../../contender.js';

export const sluice =
  (limitOf: (quota: Quota) => Limit): Contender =>
  (quota) => {
    const { maxKeys, clock } = quota;
    const store = new MemoryStore({ ...(maxKeys && { maxKeys }), ...(clock && { clock }) });
    const limiter = createLimiter({ limit: limitOf(quota), store });
    const tell = (decision: Decision, answer: Answer): void => {
      const { allowed, tightest, retryAfterMs } = decision;
      answer.decision = decision;
      answer.allowed = allowed;
      answer.limit = tightest.limit.quota;
      answer.remaining = tightest.remaining;
      answer.resetMs = tightest.resetAfterMs;
      answer.retryMs = retryAfterMs;
    };
    return {
      isAsync: false,
      decide: (key, answer) => tell(limiter.consume(key), answer),
      decideCost: (key, cost, answer) => tell(limiter.consume(key, { cost }), answer),
      close: () => store.close(),
    };
  };
