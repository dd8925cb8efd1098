import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import {
  type BoundOptions,
  boundOf,
  concurrency,
  type Duration,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  unlimited,
} from '@sluice/core';

const WINDOW = { limit: 100, window: '1m' } as const;
const DAY_MS = 86_400_000;

const calendar = (unit: 'hour' | 'day' | 'week' | 'month'): Limit =>
  fixedWindow({ limit: 100, window: { unit, timeZone: 'Europe/Rome' } });

describe('the bound', () => {
  it.each<[string, Limit, Duration, number]>([
    ['a sliding window in its window', slidingWindow(WINDOW), '1m', 100],
    ['a sliding window in a millisecond', slidingWindow(WINDOW), 1, 100],
    ['a sliding window in a millisecond more', slidingWindow(WINDOW), 60_001, 200],
    ['a sliding window in three windows', slidingWindow(WINDOW), '3m', 300],
    ['a sliding window log', slidingWindowLog(WINDOW), '90s', 200],
    ['a sliding window counter in its window', slidingWindowCounter(WINDOW), '1m', 200],
    ['a sliding window counter in a millisecond more', slidingWindowCounter(WINDOW), 60_001, 300],
    ['a fixed window in its window', fixedWindow(WINDOW), '1m', 200],
    ['a fixed window in two', fixedWindow(WINDOW), '2m', 300],
    ['a calendar hour', calendar('hour'), '1h', 200],
    ['a calendar day in 23 hours', calendar('day'), '23h', 200],
    ['a calendar day in 24 hours', calendar('day'), '24h', 300],
    ['a calendar week in 167 hours', calendar('week'), '167h', 200],
    ['a calendar month in 28 days', calendar('month'), '28d', 200],
    ['a calendar month in 29 days', calendar('month'), '29d', 300],
    ['a token bucket', tokenBucket({ capacity: 20, refillRate: 5 }), '1s', 25],
    ['a token bucket before the next unit', tokenBucket({ capacity: 20, refillRate: 5 }), 1199, 25],
    ['a token bucket by interval', tokenBucket({ capacity: 20, refillRate: 5, refillInterval: '1s' }), 1001, 30],
    ['a bucket that never refills', tokenBucket({ capacity: 20, refillRate: 0 }), '30d', 20],
    ['a bucket that is forgotten', tokenBucket({ capacity: 20, refillRate: 0 }), 30 * DAY_MS + 1, 40],
    ['a leaky bucket', leakyBucket({ capacity: 20, leakRate: 5 }), '1s', 6],
    ['a leaky bucket with immediate places', leakyBucket({ capacity: 20, leakRate: 5, immediate: 8 }), '1s', 14],
    ['concurrency', concurrency({ limit: 7, lease: '30s' }), '1d', 7],
    ['a limit of 0', slidingWindow({ limit: 0, window: '1ms' }), '1d', 0],
    ['no limit', unlimited(), '1m', Number.POSITIVE_INFINITY],
  ])('of %s is a number', (_name, limit, window, bound) => {
    expect(boundOf(limit, window)).toBe(bound);
  });

  it.each<[BoundOptions, number]>([
    [{ losses: 2 }, 300],
    [{ instances: 1 }, 200],
    [{ instances: 4 }, 100 + 4 * 25],
    [{ instances: 3 }, 100 + 3 * 34],
    [{ instances: 400 }, 100 + 400],
    [{ instances: 4, cost: 30 }, 100 + 4 * 30],
    [{ instances: 4, cost: 10, losses: 1 }, 200 + 4 * 25],
    [{ margin: 10 }, 110],
    [{ margin: -30 }, 70],
    [{ margin: 10, losses: 1 }, 220],
    [{ margin: 10, instances: 2 }, 110 + 2 * 55],
    [{ margin: -30, instances: 2 }, 70 + 2 * 35],
    [{ instances: 4, onStoreError: 'deny' }, 100],
    [{ instances: 4, onStoreError: 'allow' }, Number.POSITIVE_INFINITY],
    [{ onStoreError: 'allow' }, 100],
    [{ sync: '5s' }, 200 + 10],
    [{ sync: '5s', instances: 4, slice: 5 }, 200 + 4 * 5 + 4 * 25],
    [{ sync: '5s', instances: 4, slice: 5, onStoreError: 'deny', losses: 1 }, 400 + 4 * 5],
  ])('with %j of 100 in a window is %d', (options, bound) => {
    expect(boundOf(slidingWindow(WINDOW), '1m', options)).toBe(bound);
  });

  it('of a share of a token bucket divides its rate, too', () => {
    const limit = tokenBucket({ capacity: 20, refillRate: 10 });
    expect(boundOf(limit, '1s', { instances: 4 })).toBe(30 + 4 * (5 + 2));
  });

  it('of a leaky bucket grows with the largest cost', () => {
    expect(boundOf(leakyBucket({ capacity: 20, leakRate: 5 }), '1s', { cost: 8 })).toBe(13);
  });

  it.each<[string, Duration, object]>([
    ['window', '0s', {}],
    ['instances', '1m', { instances: -1 }],
    ['losses', '1m', { losses: 0.5 }],
    ['cost', '1m', { cost: Number.NaN }],
    ['instance', '1m', { instance: 3 }],
    ['slice', '1m', { slice: 0 }],
    ['slice', '1m', { instances: 4, slice: 5 }],
    ['sync', '1m', { sync: 0 }],
    ['onStoreError', '1m', { onStoreError: 'remote' }],
  ])('names the wrong option %s', (path, window, options) => {
    expect(() => boundOf(slidingWindow(WINDOW), window, options)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });

  it.each([[100], [undefined], [null], [WINDOW], [{ algorithm: 'toString', quota: 5 }]])(
    'refuses %j, which is no Limit',
    (limit) => {
      const loosely: (limit: unknown, window: string) => number = boundOf as never;
      expect(() => loosely(limit, '1m')).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'limit' }));
    },
  );
});
