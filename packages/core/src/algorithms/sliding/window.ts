import { checkLimitOptions, type Limit, largestExact } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions } from '../window.js';
import { type SubWindows, slidingKernel } from './kernel.js';

/** What `slidingWindow` is told. */
export interface SlidingWindowOptions extends WindowOptions {
  /** Sub-windows, 1 to 1,000; default 20. More of them waste less of the limit and take more memory. */
  buckets?: number;
}

const DEFAULT_BUCKETS = 20;

/**
 * A sliding window, the default: at most `limit` units in every window of this length, wherever it is laid.
 *
 * Units are counted in sub-windows ("grains") and each counts until a whole window after its grain has ended, so the
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
  numbers: () => ({ windowMs: 1, buckets: 1 }),
  largestQuota: () => largestExact(),
  subWindowMs: (limit) => (isFine(limit) ? 1 : subWindows.coarsestMs(limit)),
  coarsestMs: (limit) => Math.ceil(limit.windowMs / limit.buckets),
  // Of sub-windows no more than this can count at once. By the millisecond every unit may be an entry of its own.
  most: (limit) => (isFine(limit) ? Math.max(limit.buckets, 2 * limit.quota) : limit.buckets) + 1,
};

/** The sliding window over the sub-windows of its limit. */
export const slidingWindowKernel = slidingKernel(subWindows);
