import { checkExact, checkLimitOptions, type Limit, largestExact } from '../values/limit.js';
import {
  available,
  type CounterState,
  fresh,
  isAhead,
  normalize,
  refund,
  spend,
  waitMs,
} from './arithmetic/sliding-window-counter.js';
import type { AlgorithmDefinition } from './definition.js';
import type { Kernel } from './kernel.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions, windowDefinition } from './window.js';

/**
 * A sliding window counter: it adds the count of this window and a part of the count of the previous one, in proportion
 * to the overlap. Choose it for the smallest state that slides: two counts per key. It assumes that requests in the
 * previous window were spread evenly. If they were not, up to twice the limit can be admitted in one window;
 * `slidingWindow` avoids that.
 *
 * With `countRejected: 'always'`, a fraction of a unit is rounded up, otherwise down. The product of limit and window
 * in milliseconds is at most 2^52 - 1: for a window of a month, a limit of at most 1.7 million.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example slidingWindowCounter({ limit: 1000, window: '1m' })
 * @see "How we built rate limiting capable of scaling to millions of domains", Cloudflare, 2017
 */
export function slidingWindowCounter(options: WindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window']);
  const numbers = quotaAndWindow(options);
  checkExact(numbers.quota, 'limit', numbers.windowMs);
  return Object.freeze({ algorithm: 'sliding-window-counter', ...numbers, ...shared });
}

/** Counts units per clock-aligned window, and weighs the previous window by its overlap. */
const slidingWindowCounterKernel: Kernel<CounterState, WindowLimit> = {
  layout: {
    length: () => 3,

    read(state, numbers, from) {
      state.startMs = numbers[from] as number;
      state.previous = numbers[from + 1] as number;
      state.current = numbers[from + 2] as number;
    },

    write({ startMs, previous, current }, numbers, from) {
      numbers[from] = startMs;
      numbers[from + 1] = previous;
      numbers[from + 2] = current;
    },
  },

  fresh,
  isAhead,
  normalize,
  available,
  waitMs,
  spend,
  refund,
};

/** The definition of sliding window counters. */
export const slidingWindowCounterDefinition: AlgorithmDefinition<'sliding-window-counter', CounterState, WindowLimit> =
  {
    ...windowDefinition,
    algorithm: 'sliding-window-counter',
    tag: 'sc',
    kernel: slidingWindowCounterKernel,
    largestQuota: ({ windowMs }) => largestExact(windowMs),
    bound: (limit, windowMs, _largestCost, margin) =>
      (limit.quota + margin) * (Math.ceil(windowMs / limit.windowMs) + 1),
    // There is no bound if units count in a later window than the one they are spent in.
    lease: undefined,
    // The part of the window before that counts is rounded for each key, so that parts can count less than the whole.
    guarantee: undefined,
  };
