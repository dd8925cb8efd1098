import { createLimiter, type Decision, type Limit, type Limiter, type Store } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import type { Answer } from '../../answer.js';
import type { Contender, Decider, Quota } from '../../contender.js';
import { fillAnswer } from '../fill-answer.js';

/** Longer than any answer takes on a busy machine: what the process itself would decide meanwhile is not Redis's answer. */
export const TIMEOUT = '10s';

export const sluiceOverRedis =
  (limitsOf: (quota: Quota) => readonly Limit[]): Contender<[Redis]> =>
  (quota, client) => {
    const store = new RedisStore({ client, timeout: TIMEOUT });
    // The proof and the load have two limits on one client.
    const name = `q${quota.limit}`;
    return deciderOf(createLimiter<string, true>({ name, limits: limitsOf(quota), store }), store);
  };

/** Asks a limiter, whose store has to be the one that answers. */
export function deciderOf(limiter: Limiter<string, true>, store: Store<true>): Decider {
  const fill = (decision: Decision, answer: Answer): void => {
    const { source } = decision;
    if (source !== 'store') throw new Error(`Not the store has answered, but ${source}`);
    fillAnswer(decision, answer);
  };
  return {
    isAsync: true,
    decide: async (key, answer) => fill(await limiter.consume(key), answer),
    decideCost: async (key, cost, answer) => fill(await limiter.consume(key, { cost }), answer),
    close: () => store.close(),
  };
}
