import '@sluice/core/calendars';
import {
  concurrency,
  fixedWindow,
  type Limit,
  type LimitOptions,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import type { Algorithm } from '@sluice/core/src/algorithms/definition';
import fc from 'fast-check';

/** How often a property is tried. Set `SLUICE_RUNS` for a longer search. */
export function runs(share = 1): { numRuns: number } {
  return { numRuns: Math.ceil(Number(process.env.SLUICE_RUNS ?? 40) * share) };
}

/** Small numbers reach edge cases most often. */
const quota = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 6 }) }, fc.integer({ min: 1, max: 60 }));
const ms = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) },
  fc.integer({ min: 1, max: 5000 }),
  fc.constantFrom(1000, 60_000, 86_400_000),
);
const rate = fc.oneof(
  fc.integer({ min: 1, max: 50 }),
  fc.constantFrom(0.1, 1 / 3, 100 / 60, 0.7, 1000, 12_345),
  fc.double({ min: 0.01, max: 2000, noNaN: true }),
);

type Penalties = Pick<LimitOptions, 'countRejected' | 'blockDuration'>;

const penalties: fc.Arbitrary<Penalties> = fc.record(
  {
    countRejected: fc.constantFrom(true, 'always' as const),
    blockDuration: fc.oneof(
      fc.integer({ min: 1, max: 3000 }),
      fc.record({
        first: fc.integer({ min: 1, max: 500 }),
        factor: fc.constantFrom(1.5, 2, 10),
        max: fc.integer({ min: 500, max: 3000 }),
        forget: fc.constantFrom(1, 100, 5000),
      }),
    ),
  },
  { requiredKeys: [] },
);

/** Arbitrary limits of each algorithm. Those that support penalties have the given ones. */
function limitsWith(penalty: fc.Arbitrary<Penalties>): Readonly<Record<Algorithm, fc.Arbitrary<Limit>>> {
  const windowed = fc
    .tuple(fc.record({ limit: quota, window: ms.map((each) => `${each}ms` as const) }), penalty)
    .map(([own, more]) => ({ ...own, ...more }));
  return {
    'sliding-window': fc
      .tuple(windowed, fc.integer({ min: 1, max: 24 }))
      .map(([options, buckets]) => slidingWindow({ ...options, buckets })),
    'sliding-window-log': windowed.map(slidingWindowLog),
    'sliding-window-counter': windowed.map(slidingWindowCounter),
    'fixed-window': fc.oneof(
      fc
        .tuple(windowed, fc.constantFrom('first-request' as const, 'clock' as const))
        .map(([options, align]) => fixedWindow({ ...options, align })),
      fc
        .record({
          limit: quota,
          unit: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
          timeZone: fc.constantFrom('UTC', 'Europe/Rome', 'Asia/Kathmandu'),
        })
        .map(({ limit, ...window }) => fixedWindow({ limit, window })),
    ),
    'token-bucket': fc.oneof(
      fc
        .tuple(fc.record({ capacity: quota, refillRate: rate }), penalty)
        .map(([own, more]) => tokenBucket({ ...own, ...more })),
      fc
        .tuple(fc.record({ capacity: quota, refillRate: fc.integer({ min: 1, max: 9 }), refillInterval: ms }), penalty)
        .map(([own, more]) => tokenBucket({ ...own, ...more })),
      quota.map((capacity) => tokenBucket({ capacity, refillRate: 0, keepFor: 5000 })),
    ),
    'leaky-bucket': fc
      .record({ capacity: quota, leakRate: rate, immediate: fc.oneof(fc.constant(0), fc.nat(10)) })
      .map(({ immediate, ...own }) => leakyBucket({ ...own, immediate: Math.min(immediate, own.capacity) })),
    concurrency: fc.record({ limit: quota, lease: fc.integer({ min: 1000, max: 5000 }) }).map(concurrency),
  };
}

/** Limits whose refusals leave nothing behind. */
export const plainLimits = limitsWith(fc.constant({}));

/** Limits that may count refusals and block. */
export const strictLimits = limitsWith(penalties);

export const ALGORITHM_NAMES = Object.keys(plainLimits) as Algorithm[];

export const anyPlainLimit = fc.oneof(...Object.values(plainLimits));

/** A window, a lease, or the time in which a bucket fills; a second for a bucket that never fills. */
export function spanMs({
  windowMs,
  leaseMs,
  quota: capacity,
  refillUnits: n,
  refillPeriodMs: m,
  byInterval,
}: Limit): number {
  if (windowMs !== undefined || leaseMs !== undefined) return (windowMs ?? leaseMs) as number;
  if (!n || !m) return 1000;
  return byInterval ? Math.ceil(capacity / n) * m : Math.ceil((capacity * m) / n);
}
