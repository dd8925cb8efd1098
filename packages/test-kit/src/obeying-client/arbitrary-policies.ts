import '@sluice/core/calendars';
import type { AdapterOptions, AdapterTools } from '@sluice/conformance';
import {
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { byHeader } from '@sluice/core/http';
import fc from 'fast-check';

/** An item of a policy. */
export interface Item {
  readonly limit: Limit;
  /** The cost of every request on it; undefined if the request states its cost. */
  readonly fixedCost: number | undefined;
}

/** Small limits reach edge cases most often. */
const quota = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.integer({ min: 1, max: 40 }));

const windowMs = fc.oneof(
  fc.integer({ min: 1, max: 999 }),
  fc.integer({ min: 1000, max: 5000 }),
  fc.constantFrom(1000, 3000, 60_000),
);

const rate = fc.oneof(
  fc.integer({ min: 1, max: 20 }),
  // The last two make units whole half a millisecond after a whole second.
  fc.constantFrom(0.1, 1 / 3, 100 / 60, 0.7, 1000, 0.9995, 1.999),
  fc.double({ min: 0.05, max: 50, noNaN: true }),
);

/** An obeying client never reaches them. */
const penalties = fc.record(
  { countRejected: fc.constant(true), blockDuration: fc.constant('1h') },
  { requiredKeys: [] },
);

const windowed = fc
  .tuple(fc.record({ limit: quota, window: windowMs.map((each) => `${each}ms` as const) }), penalties)
  .map(([own, penalty]) => ({ ...own, ...penalty }));

export const LIMITS = {
  'a sliding window': fc
    .tuple(windowed, fc.integer({ min: 1, max: 24 }))
    .map(([options, buckets]) => slidingWindow({ ...options, buckets })),
  'a sliding window log': windowed.map(slidingWindowLog),
  'a sliding window counter': windowed.map(slidingWindowCounter),
  'a fixed window': fc
    .tuple(windowed, fc.constantFrom('first-request' as const, 'clock' as const))
    .map(([options, align]) => fixedWindow({ ...options, align })),
  'a calendar window': quota.map((limit) =>
    fixedWindow({ limit, window: { unit: 'hour', timeZone: 'Asia/Kathmandu' } }),
  ),
  'a token bucket': fc
    .tuple(fc.record({ capacity: quota, refillRate: rate }), penalties)
    .map(([own, penalty]) => tokenBucket({ ...own, ...penalty })),
  'a token bucket by interval': fc
    .record({ capacity: quota, refillRate: fc.integer({ min: 1, max: 9 }), refillInterval: windowMs })
    .map(tokenBucket),
  'a token bucket that never refills': quota.map((capacity) => tokenBucket({ capacity, refillRate: 0 })),
  'a leaky bucket': fc.record({ capacity: quota, leakRate: rate }).map(leakyBucket),
  concurrency: quota.map((limit) => concurrency({ limit, lease: '30d' })),
} satisfies Record<string, fc.Arbitrary<Limit>>;

export const itemOf = (limit: fc.Arbitrary<Limit>): fc.Arbitrary<Item> =>
  fc
    .record({ limit, fixedCost: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 2 })) })
    .map(({ limit, fixedCost }) => {
      // A request takes one slot, which goes without saying.
      if (limit.algorithm === 'concurrency') return { limit, fixedCost: 1 };
      return { limit, fixedCost: fixedCost && Math.min(fixedCost, limit.quota) };
    });

const anyItem = itemOf(fc.oneof(...Object.values(LIMITS)));

/** Limits of one policy that say when a refused client may come back. */
export const refillingItems: fc.Arbitrary<readonly Item[]> = fc
  .array(anyItem, { minLength: 1, maxLength: 3 })
  .filter((items) => items.every(({ limit }) => limit.algorithm !== 'concurrency' && limit.refillUnits !== 0));

export const isPriced = ({ fixedCost }: Item): boolean => fixedCost === undefined;

/** Up to two limiters, one behind the other, of up to three limits each. */
export const anyPolicies: fc.Arbitrary<readonly (readonly Item[])[]> = fc.array(
  fc.array(anyItem, { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 2 },
);

/** The policies as options. The query of a request states its cost, and a header its sender. */
export function optionsOf(policies: readonly (readonly Item[])[], tools: AdapterTools): AdapterOptions[] {
  const byKey = byHeader('api-key');
  return policies.map((items, i) => ({
    name: `policy-${i}`,
    keyGenerator: (...args) => byKey(tools.requestOf(args)),
    cost: (...args) => Number(/cost=(\d+)/.exec(tools.requestOf(args).url)?.[1]),
    limits: items.map(({ limit, fixedCost }, j) => ({
      name: `limit-${j}`,
      limit,
      ...(fixedCost !== undefined && limit.algorithm !== 'concurrency' && { cost: fixedCost }),
    })),
  }));
}

/** The items by the names that header fields give them. */
export function itemsByName(policies: readonly (readonly Item[])[]): Map<string, Item> {
  const named = new Map<string, Item>();
  policies.forEach((items, i) => {
    items.forEach((item, j) => {
      named.set(named.has(`limit-${j}`) ? `policy-${i}:limit-${j}` : `limit-${j}`, item);
    });
  });
  return named;
}
