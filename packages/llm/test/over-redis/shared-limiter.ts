import { createLimiter } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import { createLlm, type LlmOptions, type LlmPlan } from '../../src/index.js';
import { type Job, PRICES } from '../limited.js';

/** The call of every test here. Its answer costs ten micro-dollars a token. */
export const jobOf = (tokens: number): Job => ({
  user: 'ann',
  body: { model: 'gpt-5.6', messages: [{ role: 'user', content: 'Hi' }], max_tokens: tokens },
});

/** Makes the limiter that several processes share. Time stands still until somebody moves the clock. */
export function sharedLimiter(client: Redis, plan: LlmPlan, options: Partial<LlmOptions<[Job]>> = {}) {
  const clock = new ManualClock();
  const store = new RedisStore({ client, clock, timeout: '30s' });
  const llm = createLlm<[Job]>({ call: ({ body }) => body, plan, prices: PRICES, clock, ...options });
  const { limits } = llm.policy;
  // Limits of money wait for half a second, which is little for a machine that has other tests to do.
  const timeout = '30s';
  const limiter = createLimiter<Job, true>({ name: 'llm', limits, keyGenerator: ({ user }) => user, store, timeout });
  return { llm, limiter, store, clock };
}
