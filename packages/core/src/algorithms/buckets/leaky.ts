import { optionError } from '../../values/error.js';
import { checkExact, checkPlainOptions, type Limit, type LimitOptions } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import {
  type BucketLimit,
  type BucketState,
  bucketAt,
  bucketFree,
  fullBucket,
  isBucketAhead,
} from '../arithmetic/bucket.js';
import { delayMs, refund, retentionMs, spend, waitMs } from '../arithmetic/leaky-bucket.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { Kernel } from '../kernel.js';
import { rateOf } from './rate.js';
import { bucketDefinition, bucketLayout } from './state.js';

/** The options of `leakyBucket`. */
export interface LeakyBucketOptions extends Pick<LimitOptions, 'name'> {
  /**
   * How many requests can be in the bucket, including the one that is leaving: a whole number of at least 0. A request
   * beyond that is refused at once.
   */
  capacity: number;
  /** Departures per second; above 0. Fractions are allowed. */
  leakRate: number;
  /**
   * How many places of the queue leave without a delay: a whole number from 0 to `capacity`. Default: 0, so all departures
   * are evenly spaced. With `capacity`, none is delayed. nginx calls them `delay` and `nodelay`.
   */
  immediate?: number;
}

/**
 * A leaky bucket: a queue that requests leave at even intervals of `1 / leakRate` seconds. Choose it to smooth bursts
 * instead of refusing them. To allow bursts, use `tokenBucket`.
 *
 * The first request leaves at once. The verdict's `delayMs` says how long a request has to wait. The adapters and
 * `wait` do the waiting for you.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example leakyBucket({ capacity: 10, leakRate: 2 }) // two a second, at most ten in the queue
 * @see Turner (1986), cited at `tokenBucket`; this is the form with a queue
 */
export function leakyBucket(options: LeakyBucketOptions): Limit {
  const shared = checkPlainOptions(options, ['capacity', 'leakRate', 'immediate'], 'a leaky bucket');
  const capacity = checkWhole(options.capacity, 'capacity');
  const immediate = checkWhole(options.immediate ?? 0, 'immediate', 0, capacity);
  const rate = rateOf(options.leakRate, 'leakRate');
  if (rate.refillUnits === 0) throw optionError('leakRate', 'must be above 0', options.leakRate);
  checkExact(capacity, 'capacity', rate.refillPeriodMs);
  const own = immediate > 0 ? { immediate } : {};
  return Object.freeze({ algorithm: 'leaky-bucket', quota: capacity, capacity, ...rate, ...own, ...shared });
}

/**
 * Reads the state of a token bucket as a queue: the units missing from a full bucket are the places taken before a new
 * request.
 */
const leakyBucketKernel: Kernel<BucketState, BucketLimit> = {
  layout: bucketLayout,
  fresh: fullBucket,
  isAhead: isBucketAhead,
  normalize: bucketAt,
  available: bucketFree,
  waitMs,
  delayMs,
  spend,
  refund,
  retentionMs,
};

/** The definition of leaky buckets. */
export const leakyBucketDefinition: AlgorithmDefinition<'leaky-bucket', BucketState, BucketLimit> = {
  ...bucketDefinition,
  algorithm: 'leaky-bucket',
  tag: 'lb',
  kernel: leakyBucketKernel,
  numbers: ({ immediate }) => [
    ['capacity', 0],
    ['refillUnits', 1],
    ['refillPeriodMs', 1],
    ...(immediate === undefined ? [] : [['immediate', 0] as const]),
  ],
  defaultName: () => 'queue',
  share: (limit, quota, instances) => ({
    ...bucketDefinition.share(limit, quota, instances),
    ...(limit.immediate !== undefined && { immediate: Math.min(quota, Math.ceil(limit.immediate / instances)) }),
  }),
  bound: ({ refillUnits, refillPeriodMs, immediate = 0 }, windowMs, largestCost) =>
    immediate + largestCost + Math.floor((refillUnits * windowMs) / refillPeriodMs),
  // Only the queue gives a departure its time, so units cannot be taken in advance.
  lease: undefined,
  // A request has one place in one queue.
  guarantee: undefined,
};
