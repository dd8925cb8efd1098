import { checkLimitOptions, type Limit, largestExact } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import type { AlgorithmDefinition } from '../definition.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions } from '../window.js';
import { type SubWindows, slidingDefinition, slidingKernel } from './kernel.js';
import type { SlidingState } from './state.js';

/** The options of `slidingWindow`. */
export interface SlidingWindowOptions extends WindowOptions {
  /**
   * The number of sub-windows: 1 to 1,000. Default: 20. More sub-windows waste less of the limit, and take more memory.
   */
  buckets?: number;
}

const DEFAULT_BUCKETS = 20;

/**
 * A sliding window: at most `limit` units in any window of this length, wherever it begins. It is the default
 * algorithm; choose it if you have no reason for another one.
 *
 * Units are counted in sub-windows. A unit counts until one window after its sub-window has ended. The result is
 * therefore never too generous, and stricter than the limit by at most 1 / (buckets + 1) of the sustained rate. A limit
 * of at most `buckets` units is exact.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example slidingWindow({ limit: 100, window: '1m' })
 */
export function slidingWindow(options: SlidingWindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window', 'buckets']);
  const buckets = checkWhole(options.buckets ?? DEFAULT_BUCKETS, 'buckets', 1, 1000);
  return Object.freeze({ algorithm: 'sliding-window', ...quotaAndWindow(options), buckets, ...shared });
}

/** A limit made by `slidingWindow`. */
type SubWindowLimit = WindowLimit & { readonly buckets: number };

/** Whether this limit is counted by the millisecond. */
const isFine = (limit: SubWindowLimit): boolean => limit.quota <= limit.buckets;

const subWindows: SubWindows<SubWindowLimit> = {
  subWindowMs: (limit) => (isFine(limit) ? 1 : subWindows.coarsestMs(limit)),
  coarsestMs: (limit) => Math.ceil(limit.windowMs / limit.buckets),
  // No more sub-windows than this can count at once. If counted by the millisecond, every unit can have an entry of its
  // own.
  most: (limit) => (isFine(limit) ? Math.max(limit.buckets, 2 * limit.quota) : limit.buckets) + 1,
};

/** The definition of sliding windows. */
export const slidingWindowDefinition: AlgorithmDefinition<'sliding-window', SlidingState, SubWindowLimit> = {
  ...slidingDefinition,
  algorithm: 'sliding-window',
  tag: 'sw',
  kernel: slidingKernel(subWindows),
  numbers: () => [
    ['windowMs', 1],
    ['buckets', 1],
  ],
  largestQuota: () => largestExact(),
};
