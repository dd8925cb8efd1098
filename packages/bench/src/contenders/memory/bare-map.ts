import type { Answer } from '../../answer.js';
import type { Contender } from '../../contender.js';

/** What everything is held beside: the least that can be called a fixed window. It forgets nothing. */
export const bareMap: Contender = ({ limit, windowMs }) => {
  const counters = new Map<string, { count: number; resetAtMs: number }>();
  const count = (key: string, cost: number, answer: Answer): void => {
    const nowMs = Date.now();
    let counter = counters.get(key);
    if (counter === undefined || counter.resetAtMs <= nowMs) {
      counter = { count: 0, resetAtMs: nowMs + windowMs };
      counters.set(key, counter);
    }
    counter.count += cost;
    answer.allowed = counter.count <= limit;
    answer.limit = limit;
    answer.remaining = Math.max(0, limit - counter.count);
    answer.resetMs = counter.resetAtMs - nowMs;
    answer.retryMs = answer.allowed ? 0 : answer.resetMs;
  };
  return {
    isAsync: false,
    decide: (key, answer) => count(key, 1, answer),
    decideCost: count,
    close: () => counters.clear(),
  };
};
