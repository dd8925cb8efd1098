import { createLimiter, type Limit, MemoryStore } from '@sluice/core';
import type { Contender, Quota } from '../../contender.js';
import { fillAnswer } from '../fill-answer.js';

export const sluice =
  (limitOf: (quota: Quota) => Limit): Contender =>
  (quota) => {
    const { maxKeys, clock } = quota;
    const store = new MemoryStore({ ...(maxKeys && { maxKeys }), ...(clock && { clock }) });
    const limiter = createLimiter({ limit: limitOf(quota), store });
    return {
      isAsync: false,
      decide: (key, answer) => fillAnswer(limiter.consume(key), answer),
      decideCost: (key, cost, answer) => fillAnswer(limiter.consume(key, { cost }), answer),
      close: () => store.close(),
    };
  };
