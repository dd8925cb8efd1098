import { type Duration, durationMs } from '../../values/duration.js';
import { optionError } from '../../values/error.js';
import { checkExact, checkLimitOptions, type Limit, type LimitOptions, largestExact } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import { type BucketLimit, type BucketState, fullBucket, isBucketAhead } from '../arithmetic/bucket.js';
import { available, normalize, refund, retentionMs, spanMs, spend, waitMs } from '../arithmetic/token-bucket.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { Kernel } from '../kernel.js';
import { rateOf } from './rate.js';
import { bucketDefinition, bucketLayout } from './state.js';

/** The options of `tokenBucket`. */
export interface TokenBucketOptions extends LimitOptions {
  /** Units in a full bucket, which is also the largest burst: a whole number of at least 0. */
  capacity: number;
  /**
   * Units per second; at least 0, and fractions are allowed. 0 means that the bucket never refills. With
   * `refillInterval`, it is whole units per interval.
   */
  refillRate: number;
  /**
   * Lets `refillRate` units come back together at the end of each interval. Default: the bucket refills continuously.
   */
  refillInterval?: Duration;
  /** How long a key is kept after its last use. Only with `refillRate: 0`. Default: `'30d'`. */
  keepFor?: Duration;
}

/**
 * A token bucket: it allows bursts up to `capacity`, and `refillRate` units per second in the long run. Choose it if
 * short bursts are welcome. To hold a limit in every window, use `slidingWindow`. The bucket starts full.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example tokenBucket({ capacity: 20, refillRate: 5 }) // bursts of 20, then 5 a second
 * @see Turner, "New directions in communications (or which way to the information age?)", IEEE Communications 24(10),
 * 1986
 */
export function tokenBucket(options: TokenBucketOptions): Limit {
  const shared = checkLimitOptions(options, ['capacity', 'refillRate', 'refillInterval', 'keepFor']);
  const capacity = checkWhole(options.capacity, 'capacity');
  const rate = refillOf(options);
  checkExact(capacity, 'capacity', rate.refillPeriodMs);
  if (rate.refillUnits > 0 && options.keepFor !== undefined) {
    throw optionError(
      'keepFor',
      'applies only with refillRate: 0 (a bucket that refills forgets a key when it is full)',
      options.keepFor,
    );
  }
  if (rate.refillUnits === 0 && shared.countRejected === true) {
    throw optionError('countRejected', "must be 'always' or absent if the bucket never refills", true);
  }
  const keepForMs = rate.refillUnits === 0 ? { keepForMs: durationMs(options.keepFor ?? '30d', 'keepFor') } : {};
  return Object.freeze({ algorithm: 'token-bucket', quota: capacity, capacity, ...rate, ...keepForMs, ...shared });
}

function refillOf({
  refillRate,
  refillInterval,
}: TokenBucketOptions): Pick<BucketLimit, 'refillUnits' | 'refillPeriodMs' | 'byInterval'> {
  if (refillInterval === undefined) return rateOf(refillRate, 'refillRate');
  const intervalMs = durationMs(refillInterval, 'refillInterval');
  const refillUnits = checkWhole(refillRate, 'refillRate');
  return refillUnits === 0
    ? { refillUnits, refillPeriodMs: 1 }
    : { refillUnits, refillPeriodMs: intervalMs, byInterval: true };
}

/** A longer period would not fit into the bytes that Redis keeps it in. */
const LONGEST_PERIOD_MS = 1e14;

/**
 * Returns a bucket with this part of the capacity and of the rate, to the last bit; undefined if it cannot be counted
 * exactly.
 */
function partOf(limit: BucketLimit, quota: number): BucketLimit | undefined {
  const [units, periodMs] = [limit.refillUnits * quota, limit.refillPeriodMs * limit.capacity];
  if (quota === 0 || quota === limit.capacity) return { ...limit, quota, capacity: quota };
  const divisor = greatestDivisor(units, periodMs);
  const [refillUnits, refillPeriodMs] = [units / divisor, periodMs / divisor];
  const isExact =
    Number.isSafeInteger(units) &&
    Number.isSafeInteger(periodMs) &&
    refillPeriodMs <= LONGEST_PERIOD_MS &&
    quota <= largestExact(refillPeriodMs);
  return isExact ? { ...limit, quota, capacity: quota, refillUnits, refillPeriodMs } : undefined;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** A level that refills continuously or by intervals. */
const tokenBucketKernel: Kernel<BucketState, BucketLimit> = {
  layout: bucketLayout,

  fresh: fullBucket,

  isAhead: isBucketAhead,

  normalize,
  available,
  waitMs,
  spend,
  refund,
  retentionMs,
};

/** The definition of token buckets. */
export const tokenBucketDefinition: AlgorithmDefinition<'token-bucket', BucketState, BucketLimit> = {
  ...bucketDefinition,
  algorithm: 'token-bucket',
  tag: 'tb',
  kernel: tokenBucketKernel,

  numbers: ({ refillUnits }) => [
    ['capacity', 0],
    ['refillUnits', 0],
    ['refillPeriodMs', 1],
    ...(refillUnits === 0 ? [['keepForMs', 1] as const] : []),
  ],

  defaultName: () => 'bucket',

  spanMs,

  bound(limit, windowMs, _largestCost, margin) {
    const { capacity, refillUnits, refillPeriodMs, byInterval, keepForMs } = limit;
    if (keepForMs !== undefined) return (capacity + margin) * Math.ceil(windowMs / keepForMs);
    // A margin counts once: its units refill before any others.
    return (
      capacity +
      margin +
      (byInterval
        ? refillUnits * Math.ceil(windowMs / refillPeriodMs)
        : Math.floor((refillUnits * windowMs) / refillPeriodMs))
    );
  },

  guarantee: {
    // Intervals begin at another time for each key, and a bucket that never refills is forgotten by each key alone.
    partOf: (limit, quota) => (limit.byInterval || limit.keepForMs !== undefined ? undefined : partOf(limit, quota)),
    roundsUnits: true,
  },

  lease: {
    stricter(limit, leaseMs) {
      const { refillUnits, refillPeriodMs, byInterval, keepForMs } = limit;
      if (keepForMs !== undefined) return { ...limit, keepForMs: keepForMs + leaseMs };
      const capacity =
        limit.capacity -
        (byInterval
          ? refillUnits * Math.ceil(leaseMs / refillPeriodMs)
          : Math.ceil((refillUnits * leaseMs) / refillPeriodMs));
      return capacity < 1 ? undefined : { ...limit, quota: capacity, capacity };
    },
  },
};
