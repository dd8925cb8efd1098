import { checkLimitOptions, type Limit } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import type { SlidingLimit, SlidingState } from '../arithmetic/sliding-window.js';
import type { AlgorithmDefinition } from '../definition.js';
import { quotaAndWindow, type WindowOptions } from '../window.js';
import { slidingDefinition, slidingKernel } from './window.js';

/** The log keeps one entry per request, so its limit needs a maximum. */
const LARGEST_LIMIT = 10_000;

/**
 * A sliding window log: it keeps the time of every admitted request, to the millisecond. Choose it for small limits
 * that must be exact. Its memory grows with the limit. `slidingWindow` also never admits more than the limit, and its
 * memory is bounded.
 *
 * `limit` is at most 10,000 here.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example slidingWindowLog({ limit: 5, window: '1h' })
 */
export function slidingWindowLog(options: WindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window']);
  checkWhole(options.limit, 'limit', 0, LARGEST_LIMIT);
  return Object.freeze({ algorithm: 'sliding-window-log', ...quotaAndWindow(options), ...shared });
}

/** The definition of sliding window logs. */
export const slidingWindowLogDefinition: AlgorithmDefinition<'sliding-window-log', SlidingState, SlidingLimit> = {
  ...slidingDefinition,
  algorithm: 'sliding-window-log',
  tag: 'sl',
  kernel: slidingKernel,
  guarantee: { partOf: (limit, quota) => ({ ...limit, quota }) },
  largestQuota: () => LARGEST_LIMIT,
  // Refused units are kept, too: at most as many as the limit.
  listLength: ({ quota, countRejected }) => (countRejected ? 2 : 1) * quota,
};
