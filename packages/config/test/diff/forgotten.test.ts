import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import {
  createLimiter,
  type Duration,
  fixedWindow,
  type Limit,
  leakyBucket,
  MemoryStore,
  replacePolicy,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import fc from 'fast-check';
import { forgetsAs } from '../../src/diff/forgotten.js';

/** `npm run proof` asks for more. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 50);

const DAY_MS = 86_400_000;
const quotas = fc.integer({ min: 1, max: 200 });
const windows = fc.constantFrom(1000, 10_000, 60_000, 90_000, 3_600_000, DAY_MS, 7 * DAY_MS);
const calendars = fc.record({
  unit: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
  timeZone: fc.constantFrom('UTC', 'Asia/Tokyo', 'America/New_York'),
});

const limits: fc.Arbitrary<Limit> = fc.oneof(
  fc.record({ limit: quotas, window: windows }).map(slidingWindow),
  fc.record({ limit: quotas, window: windows }).map(slidingWindowLog),
  fc.record({ limit: quotas, window: windows }).map(slidingWindowCounter),
  fc
    .record({ limit: quotas, window: windows, align: fc.constantFrom('first-request' as const, 'clock' as const) })
    .map(fixedWindow),
  fc.record({ limit: quotas, window: calendars }).map(fixedWindow),
  fc.record({ capacity: quotas, refillRate: fc.constantFrom(0, 0.1, 1, 5) }).map(tokenBucket),
  fc.record({ capacity: quotas, leakRate: fc.constantFrom(0.1, 1, 5) }).map(leakyBucket),
);

const isBucket = ({ capacity }: Limit): boolean => capacity !== undefined;

/** What is left before and after a limit takes the place of another one, and what was spent in the moment before. */
function replaced(old: Limit, next: Limit, agoMs: readonly number[], atMs: number) {
  const clock = new ManualClock(atMs - Math.max(0, ...agoMs));
  const store = closedAfterTest(new MemoryStore({ clock }));
  const options = { name: 'api', limits: [{ name: 'minute', limit: old }], store };
  const limiter = createLimiter(options);
  const spend = (): number => ((limiter.consume('ann') as { allowed: boolean }).allowed ? 1 : 0);
  for (const ago of [...agoMs].sort((a, b) => b - a)) {
    clock.advance(atMs - ago - clock.now());
    spend();
  }
  clock.advance(atMs - clock.now());
  const spentNow = spend() + spend();
  const left = () => limiter.peek('ann') as ReturnType<typeof limiter.peek> & { tightest: { remaining: number } };
  const before = left().tightest.remaining;
  replacePolicy(options, { limits: [{ name: 'minute', limit: next }] });
  return { before, after: left().tightest.remaining, spentNow };
}

const histories = fc.array(fc.integer({ min: 0, max: 2 * DAY_MS }), { maxLength: 20 });
const moments = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });

describe('what is forgotten when a limit is changed', () => {
  it('is nothing that was spent just now, if nothing is said', () => {
    fc.assert(
      fc.property(limits, limits, histories, moments, (old, next, agoMs, atMs) => {
        fc.pre(forgetsAs(old, next) === undefined);
        const { before, after, spentNow } = replaced(old, next, agoMs, atMs);
        fc.pre(spentNow > 0);
        // A bucket keeps what is left in it, a window what was spent. What comes back from then on comes by the new rule.
        expect(after).toBeLessThanOrEqual(isBucket(next) ? before : Math.max(0, next.quota - spentNow));
      }),
      { numRuns: RUNS },
    );
  });

  it('is everything if the algorithm is another one', () => {
    fc.assert(
      fc.property(limits, limits, histories, moments, (old, next, agoMs, atMs) => {
        fc.pre(old.algorithm !== next.algorithm);
        expect(forgetsAs(old, next)).toBe(`all that ${old.algorithm} has counted`);
        expect(replaced(old, next, agoMs, atMs).after).toBe(next.quota);
      }),
      { numRuns: RUNS },
    );
  });

  it.each<[string, Limit, Limit]>([
    [
      'a fixed window that becomes shorter',
      fixedWindow({ limit: 10, window: '1h' }),
      fixedWindow({ limit: 10, window: '1m' }),
    ],
    [
      'a counter whose window becomes shorter',
      slidingWindowCounter({ limit: 10, window: '1h' }),
      slidingWindowCounter({ limit: 10, window: '1m' }),
    ],
    [
      'another time zone',
      fixedWindow({ limit: 10, window: { unit: 'day', timeZone: 'UTC' } }),
      fixedWindow({ limit: 10, window: { unit: 'day', timeZone: 'Asia/Tokyo' } }),
    ],
    [
      'a month that becomes a day',
      fixedWindow({ limit: 10, window: { unit: 'month', timeZone: 'UTC' } }),
      fixedWindow({ limit: 10, window: { unit: 'day', timeZone: 'UTC' } }),
    ],
  ])('can be recent counts: %s', (_, old, next) => {
    expect(forgetsAs(old, next)).toBe('counts of windows that have ended by the new rule');
    const moment = Date.UTC(2026, 5, 15, 20, 30);
    const { after } = replaced(old, next, [40 * 60_000], moment);
    expect(after).toBe(10);
  });

  const counter = (window: Duration) => slidingWindowCounter({ limit: 10, window });
  const fixed = (window: Duration, align: 'first-request' | 'clock') => fixedWindow({ limit: 10, window, align });
  const calendar = (unit: 'day' | 'week' | 'month') => fixedWindow({ limit: 10, window: { unit, timeZone: 'UTC' } });

  it.each<[what: string, Limit, Limit, forgets: boolean]>([
    ['a counter of windows that do not fit into the new ones', counter('1m'), counter('90s'), true],
    ['a counter of windows that fit', counter('1m'), counter('2m'), false],
    ['a window that begins by the clock from now on', fixed('1m', 'first-request'), fixed('1m', 'clock'), true],
    [
      'a window that begins by the first request from now on',
      fixed('1m', 'clock'),
      fixed('1m', 'first-request'),
      false,
    ],
    ['a window by the clock that does not fit', fixed('1m', 'clock'), fixed('90s', 'clock'), true],
    ['a day that becomes a month', calendar('day'), calendar('month'), false],
    ['a week that becomes a month', calendar('week'), calendar('month'), true],
  ])('is known for %s', (_, old, next, forgets) => {
    expect(forgetsAs(old, next) !== undefined).toBe(forgets);
  });
});
