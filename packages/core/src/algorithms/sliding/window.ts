import { checkLimitOptions, type Limit, largestExact } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import {
  available,
  coarsestMs,
  endOfSubWindow,
  fresh,
  isAhead,
  isFine,
  normalize,
  refund,
  retentionMs,
  type SlidingLimit,
  type SlidingState,
  spend,
  waitMs,
} from '../arithmetic/sliding-window.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { Kernel } from '../kernel.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions, windowDefinition } from '../window.js';
import { packedWindow, slidingLayout } from './state.js';

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

/** The kernel of the sliding window and of the log. They differ only in their sub-windows. */
export const slidingKernel: Kernel<SlidingState, SlidingLimit> = {
  layout: slidingLayout,
  fresh,
  isAhead,
  normalize,
  available,
  waitMs,
  spend,
  refund,
  retentionMs,
};

/** The part of a definition that the sliding window and the log share. */
export const slidingDefinition = {
  ...windowDefinition,
  bound: (limit, windowMs, _largestCost, margin) => (limit.quota + margin) * Math.ceil(windowMs / limit.windowMs),
  lease: {
    stricter: <L extends WindowLimit>(limit: L, leaseMs: number): L => ({
      ...limit,
      windowMs: limit.windowMs + leaseMs,
    }),
  },
} satisfies Partial<AlgorithmDefinition<never, never, WindowLimit>>;

const enterInPlace: Kernel<SlidingState, SlidingLimit>['enterInPlace'] = (limit, decision) => {
  decision.isFine = isFine(limit);
  decision.coarsestMs = coarsestMs(limit);
  decision.packedWindow = packedWindow(limit.windowMs, decision.isFine ? 1 : decision.coarsestMs);
};

/**
 * Decides in place, as long as units are added to the newest sub-window. A new sub-window makes the list longer, and an
 * old one that no longer counts makes it shorter.
 */
const decideInPlace: Kernel<SlidingState, SlidingLimit>['decideInPlace'] = (limit, decision) => {
  const { quota, windowMs } = limit;
  const { numbers, from, length, cost, nowMs } = decision;
  const oldest = from + 1;
  const newest = from + length - 2;
  if (newest < oldest || cost > quota || numbers[from] !== decision.packedWindow) return false;
  const newestMs = numbers[newest] as number;
  const latestMs = endOfSubWindow(nowMs, decision.coarsestMs);
  if (newestMs > latestMs || nowMs >= (numbers[oldest] as number) + windowMs) return false;
  let used = 0;
  for (let at = oldest; at <= newest; at += 2) used += numbers[at + 1] as number;
  const available = quota - used;
  if (cost === available) return false;
  const allowed = cost < available;
  if (allowed) {
    const left = available - cost;
    if (newestMs < (decision.isFine ? nowMs : latestMs) || cost > left) return false;
    numbers[newest + 1] = (numbers[newest + 1] as number) + cost;
    decision.available = left;
    decision.retryAfterMs = 0;
  } else {
    let free = available;
    let at = oldest - 2;
    while (free < cost) {
      at += 2;
      free += numbers[at + 1] as number;
    }
    decision.available = available;
    decision.retryAfterMs = (numbers[at] as number) + windowMs - nowMs;
  }
  decision.allowed = allowed;
  decision.resetAfterMs = newestMs + windowMs - nowMs;
  decision.delayMs = 0;
  return true;
};

/** The definition of sliding windows. */
export const slidingWindowDefinition: AlgorithmDefinition<'sliding-window', SlidingState, SlidingLimit> = {
  ...slidingDefinition,
  algorithm: 'sliding-window',
  tag: 'sw',
  kernel: { ...slidingKernel, enterInPlace, decideInPlace },
  guarantee: {
    // Its parts, however small, have sub-windows of the same length.
    partOf: (limit, quota) => (isFine(limit) ? { ...limit, quota } : { ...limit, quota, coarse: true }),
  },
  numbers: () => [
    ['windowMs', 1],
    ['buckets', 1],
  ],
  largestQuota: () => largestExact(),
};
