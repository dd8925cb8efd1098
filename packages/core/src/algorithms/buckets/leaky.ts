import { optionError } from '../../values/error.js';
import { checkExact, checkPlainOptions, type Limit, type LimitOptions } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { Kernel } from '../kernel.js';
import { rateOf } from './rate.js';
import {
  type BucketLimit,
  type BucketState,
  bucketAt,
  bucketDefinition,
  bucketFree,
  bucketLayout,
  bucketUntilMs,
  fullBucket,
  held,
  isBucketAhead,
  refill,
  takeOut,
} from './state.js';

/** What `leakyBucket` is told. */
export interface LeakyBucketOptions extends Pick<LimitOptions, 'name'> {
  /** Requests that may be in the bucket, waiting or just gone: whole, at least 0. One more is refused at once. */
  capacity: number;
  /** Departures per second, above 0, fractions welcome. */
  leakRate: number;
}

/**
 * A leaky bucket as a queue: what is admitted leaves at even distances, `1 / leakRate` seconds apart, the first at
 * once. The verdict's `delayMs` says how long to wait; adapters and `wait` do the waiting.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example leakyBucket({ capacity: 10, leakRate: 2 }) // two a second, up to ten under way
 * @see Turner (1986), cited at tokenBucket; this is its queueing form
 */
export function leakyBucket(options: LeakyBucketOptions): Limit {
  const shared = checkPlainOptions(options, ['capacity', 'leakRate'], 'a leaky bucket');
  const capacity = checkWhole(options.capacity, 'capacity');
  const rate = rateOf(options.leakRate, 'leakRate');
  if (rate.refillUnits === 0) throw optionError('leakRate', 'must be above 0', options.leakRate);
  checkExact(capacity, 'capacity', rate.refillPeriodMs);
  return Object.freeze({ algorithm: 'leaky-bucket', quota: capacity, capacity, ...rate, ...shared });
}

/**
 * The token bucket's state, read as places in a queue: what is missing from full is how much stands before a newcomer.
 */
const leakyBucketKernel: Kernel<BucketState, BucketLimit> = {
  layout: bucketLayout,
  fresh: fullBucket,
  isAhead: isBucketAhead,
  normalize: bucketAt,
  available: bucketFree,
  waitMs: bucketUntilMs,

  delayMs(state, limit, nowMs) {
    const { capacity, refillUnits, refillPeriodMs } = limit;
    return Math.ceil((capacity * refillPeriodMs - held(state, limit, nowMs)) / refillUnits);
  },

  spend(state, limit, units, nowMs) {
    refill(state, limit, nowMs);
    takeOut(state, limit, units);
  },

  // The departures behind have been told their times already: a place that is given up stays empty.
  refund: () => false,
};

/** All that is known of leaky buckets. */
export const leakyBucketDefinition: AlgorithmDefinition<'leaky-bucket', BucketState, BucketLimit> = {
  ...bucketDefinition,
  algorithm: 'leaky-bucket',
  tag: 'lb',
  kernel: leakyBucketKernel,
  numbers: () => [
    ['capacity', 0],
    ['refillUnits', 1],
    ['refillPeriodMs', 1],
  ],
  defaultName: () => 'queue',
  bound: ({ refillUnits, refillPeriodMs }, windowMs, largestCost) =>
    largestCost + Math.floor((refillUnits * windowMs) / refillPeriodMs),
  // A departure has its time from the queue alone, so that none can be counted later.
  lease: undefined,
  canRefund: false,
};
