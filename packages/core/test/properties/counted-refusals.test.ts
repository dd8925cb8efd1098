import { describe, expect, it } from '@jest/globals';
import {
  fixedWindow,
  type Limit,
  type LimitOptions,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { inWorld, type World } from './world.js';

const ALWAYS: LimitOptions = { countRejected: 'always' };

const numbers = { limit: fc.integer({ min: 1, max: 30 }), window: fc.integer({ min: 10, max: 5000 }) };
const slidings = fc
  .record({ ...numbers, buckets: fc.integer({ min: 1, max: 40 }) })
  .map((options) => slidingWindow({ ...options, ...ALWAYS }));
const logs = fc.record(numbers).map((options) => slidingWindowLog({ ...options, ...ALWAYS }));
const counters = fc.record(numbers).map((options) => slidingWindowCounter({ ...options, ...ALWAYS }));
const buckets = fc
  .record({ capacity: numbers.limit, refillRate: fc.double({ min: 0.1, max: 2000, noNaN: true }) })
  .map((options) => tokenBucket({ ...options, ...ALWAYS }));

/** Refills at most the capacity per interval. A larger refill would fill the bucket whatever its debt. */
const intervalBuckets = fc
  .record({ capacity: numbers.limit, refillInterval: numbers.window, share: fc.integer({ min: 1, max: 30 }) })
  .map(({ share, ...options }) =>
    tokenBucket({ ...options, refillRate: Math.min(share, options.capacity), ...ALWAYS }),
  );

/** The longest time between two requests of this cost that ask for more than the limit in every window. */
function longestPauseMs(
  { quota, windowMs, refillUnits: n = 0, refillPeriodMs: m = 1, byInterval }: Limit,
  cost: number,
): number {
  if (windowMs !== undefined) return Math.floor(windowMs / Math.ceil((quota + 1) / cost));
  return byInterval ? Math.floor(m / Math.ceil((n + 1) / cost)) : Math.ceil((cost * m) / n) - 1;
}

describe.each([
  ['a sliding window', slidings],
  ['a sliding window log', logs],
  ['a sliding window counter', counters],
  ['a token bucket', buckets],
  ['a token bucket by interval', intervalBuckets],
])("%s with countRejected: 'always'", (_name, limits) => {
  it('admits no more requests of a key that used it up and asks for more than the limit in every window', () => {
    const shares = { start: fc.nat(5000), cost: fc.nat(1000), pause: fc.oneof(fc.constant(1000), fc.nat(1000)) };
    fc.assert(
      fc.property(limits, fc.record(shares), (limit, { start, cost: costShare, pause }) =>
        inWorld((world) => {
          world.clock.advance(start);
          expect(world.consume(limit, limit.quota).allowed).toBe(true);
          const cost = Math.max(1, Math.ceil((limit.quota * costShare) / 1000));
          const pauseMs = Math.max(1, Math.floor((longestPauseMs(limit, cost) * pause) / 1000));
          fc.pre(pauseMs <= longestPauseMs(limit, cost));
          for (let i = 0; i < 200; i += 1) {
            world.clock.advance(pauseMs);
            if (world.consume(limit, cost).allowed) throw new Error(`let in after ${i} times ${pauseMs} ms by ${cost}`);
          }
        }),
      ),
      runs(),
    );
  });
});

/** A request for a share of the quota, in thousandths, and the time since the previous one. */
interface Request {
  readonly afterMs: number;
  readonly share: number;
}

/**
 * Makes the requests one after another. Yields each decision, and the units requested in the window that ends with
 * it.
 */
function* answersOf(
  limit: Limit,
  script: readonly Request[],
  world: World,
): Generator<{ readonly units: number; readonly allowed: boolean }> {
  const asked: { readonly atMs: number; readonly cost: number }[] = [];
  for (const { afterMs, share } of script) {
    world.clock.advance(afterMs);
    const nowMs = world.clock.now();
    const cost = Math.max(1, Math.ceil((limit.quota * share) / 1000));
    asked.push({ atMs: nowMs, cost });
    const inWindow = asked.filter(({ atMs }) => atMs > nowMs - (limit.windowMs as number));
    const units = inWindow.reduce((sum, one) => sum + one.cost, 0);
    yield { units, allowed: world.consume(limit, cost).allowed };
  }
}

describe("a limit that counts by the millisecond, with countRejected: 'always'", () => {
  const requests = fc.array(
    fc.record({
      afterMs: fc.oneof(fc.nat(3), fc.nat(60), fc.nat(3000)),
      share: fc.oneof(fc.constant(0), fc.nat(1000)),
    }),
    { maxLength: 120, size: 'max' },
  );

  it.each([
    ['a log', logs],
    ['a sliding window of as many parts', slidings.map((limit) => ({ ...limit, buckets: limit.quota }))],
  ])('admits a request on %s exactly if no more than the limit was asked for in the window before it', (_, limits) => {
    fc.assert(
      fc.property(limits, requests, (limit, script) =>
        inWorld((world) => {
          for (const { units, allowed } of answersOf(limit, script, world)) expect(allowed).toBe(units <= limit.quota);
        }),
      ),
      runs(),
    );
  });

  it('admits no request on any sliding window while more than the limit was asked for in the window before it', () => {
    fc.assert(
      fc.property(slidings, requests, (limit, script) =>
        inWorld((world) => {
          for (const { units, allowed } of answersOf(limit, script, world)) {
            if (allowed) expect(units).toBeLessThanOrEqual(limit.quota);
          }
        }),
      ),
      runs(),
    );
  });
});

describe("a hundred a minute with countRejected: 'always'", () => {
  const HUNDRED = { limit: 100, window: '1m', ...ALWAYS } as const;

  it.each([
    ['a sliding window', 50, slidingWindow(HUNDRED)],
    ['a sliding window', 200, slidingWindow(HUNDRED)],
    ['a sliding window log', 50, slidingWindowLog(HUNDRED)],
    ['a sliding window log', 200, slidingWindowLog(HUNDRED)],
    ['a sliding window counter', 50, slidingWindowCounter(HUNDRED)],
  ])('as %s admits a hundred in ten minutes of %d times the rate', (_name, times, limit) => {
    expect(admittedIn10Minutes(limit, times)).toBe(100);
  });

  it('as a fixed window admits a hundred in each window, as without it', () => {
    expect(admittedIn10Minutes(fixedWindow(HUNDRED), 50)).toBe(1000);
    expect(admittedIn10Minutes(fixedWindow({ limit: 100, window: '1m' }), 50)).toBe(1000);
  });
});

/** For a key that asks this many times as often as a hundred a minute allow. */
function admittedIn10Minutes(limit: Limit, times: number): number {
  return inWorld((world) => {
    const { clock, store } = world;
    const ask = { checks: [world.check(limit)] };
    let admitted = 0;
    for (let ms = 0; ms < 600_000; ms += 600 / times) {
      if (store.consume(ask).allowed) admitted += 1;
      clock.advance(600 / times);
    }
    return admitted;
  });
}
