import { checkLimitOptions, type Limit, largestExact } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import type { AlgorithmDefinition } from '../definition.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions } from '../window.js';
import { type SubWindows, slidingDefinition, slidingKernel } from './kernel.js';
import type { SlidingState } from './state.js';

/** What `slidingWindow` is told. */
export interface SlidingWindowOptions extends WindowOptions {
  /** Sub-windows, 1 to 1,000; default 20. More of them waste less of the limit and take more memory. */
  buckets?: number;
}

const DEFAULT_BUCKETS = 20;

/**
 * A sliding window, the default: at most `limit` units in every window of this length, wherever it is laid.
 *
 * Units are counted in sub-windows, and each counts until a whole window after its sub-window has ended, so the
 * answer errs only towards strict, by at most 1 / (buckets + 1) of the sustained rate. Limits of at most `buckets`
 * units are exact.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example slidingWindow({ limit: 100, window: '1m' })
 */
export function slidingWindow(options: SlidingWindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window', 'buckets']);
  const buckets = checkWhole(options.buckets ?? DEFAULT_BUCKETS, 'buckets', 1, 1000);
  return Object.freeze({ algorithm: 'sliding-window', ...quotaAndWindow(options), buckets, ...shared });
}

/** A limit that `slidingWindow` made. */
type SubWindowLimit = WindowLimit & { readonly buckets: number };

/** Whether it counts by the millisecond. */
const isFine = (limit: SubWindowLimit): boolean => limit.quota <= limit.buckets;

const subWindows: SubWindows<SubWindowLimit> = {
  subWindowMs: (limit) => (isFine(limit) ? 1 : subWindows.coarsestMs(limit)),
  coarsestMs: (limit) => Math.ceil(limit.windowMs / limit.buckets),
  // Of sub-windows no more than this can count at once. By the millisecond every unit may be an entry of its own.
  most: (limit) => (isFine(limit) ? Math.max(limit.buckets, 2 * limit.quota) : limit.buckets) + 1,
};

/** All that is known of sliding windows. */
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
