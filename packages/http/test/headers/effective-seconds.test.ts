import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import { leakyBucket } from '@sluice/core/src/algorithms/buckets/leaky';
import { tokenBucket } from '@sluice/core/src/algorithms/buckets/token';
import { concurrency } from '@sluice/core/src/algorithms/concurrency';
import { fixedWindow } from '@sluice/core/src/algorithms/fixed-window';
import { slidingWindow } from '@sluice/core/src/algorithms/sliding/window';
import type { Verdict } from '@sluice/core/src/values/decision';
import { type Limit, unlimited } from '@sluice/core/src/values/limit';
import { retryAfterSeconds } from '../../src/headers/retry-after.js';
import { fieldsWith, headerItem } from './header-item.js';

const fieldsOf = fieldsWith({ legacyHeaders: false });

const minute = slidingWindow({ limit: 100, window: '1m' });
const bucket = tokenBucket({ capacity: 100, refillRate: 10 });
const slowBucket = tokenBucket({ capacity: 10, refillRate: 0.3 });
const interval = tokenBucket({ capacity: 100, refillRate: 25, refillInterval: '1m' });
const neverRefilled = tokenBucket({ capacity: 10, refillRate: 0 });
const slots = concurrency({ limit: 3, lease: '30s' });

describe('RateLimit', () => {
  it.each<[string, Limit, Partial<Verdict>, string]>([
    ['a window', minute, { remaining: 99, resetAfterMs: 60_000 }, 'r=99;t=60'],
    ['a window, rounding up', minute, { remaining: 50, resetAfterMs: 29_001 }, 'r=50;t=30'],
    ['a fresh window beside one that refused', minute, { resetAfterMs: 0 }, 'r=100;t=1'],
    [
      'a window shorter than a second',
      fixedWindow({ limit: 5, window: '200ms' }),
      { remaining: 4, resetAfterMs: 200 },
      'r=4;t=1',
    ],
    ['the last unit of a window', minute, { remaining: 0, resetAfterMs: 60_000, retryAfterMs: 12_345 }, 'r=0;t=13'],
    [
      'too little for the same cost',
      minute,
      { cost: 10, remaining: 9, resetAfterMs: 60_000, retryAfterMs: 3_000 },
      'r=9;t=3',
    ],
    ['just enough for the same cost', minute, { cost: 10, remaining: 10, resetAfterMs: 60_000 }, 'r=10;t=60'],
    [
      'a free request with nothing left',
      minute,
      { cost: 0, remaining: 0, resetAfterMs: 60_000, retryAfterMs: 500 },
      'r=0;t=1',
    ],
    ['a refusal', minute, { allowed: false, remaining: 0, resetAfterMs: 60_000, retryAfterMs: 1_001 }, 'r=0;t=2'],
    [
      'a refusal of more than is left',
      minute,
      { allowed: false, cost: 10, remaining: 9, retryAfterMs: 7_000 },
      'r=0;t=7',
    ],
    ['what can never fit', minute, { allowed: false, cost: 101, remaining: 100, retryAfterMs: 'never' }, 'r=0'],
    ['limit 0', slidingWindow({ limit: 0, window: '1m' }), { allowed: false, retryAfterMs: 'never' }, 'r=0'],
    ['a full bucket', bucket, {}, 'r=100;t=10'],
    ['a bucket, by what is left and not by what is missing', bucket, { remaining: 95, resetAfterMs: 500 }, 'r=95;t=10'],
    ['a bucket with little left', bucket, { remaining: 1, resetAfterMs: 9_900 }, 'r=1;t=1'],
    ['a slow bucket', slowBucket, { remaining: 3, resetAfterMs: 23_334 }, 'r=3;t=10'],
    ['a slow bucket, rounding up', slowBucket, { remaining: 4, resetAfterMs: 20_000 }, 'r=4;t=14'],
    ['an empty bucket', bucket, { remaining: 0, resetAfterMs: 10_000, retryAfterMs: 100 }, 'r=0;t=1'],
    ['a bucket by interval', interval, { remaining: 25, resetAfterMs: 170_000 }, 'r=25;t=60'],
    ['a bucket by interval, rounding up', interval, { remaining: 26, resetAfterMs: 170_000 }, 'r=26;t=63'],
    ['a bucket that never refills', neverRefilled, { remaining: 4, resetAfterMs: 'never' }, 'r=4'],
    [
      'the end of a bucket that never refills',
      neverRefilled,
      { remaining: 0, resetAfterMs: 'never', retryAfterMs: 'never' },
      'r=0',
    ],
    ['a leaky bucket', leakyBucket({ capacity: 10, leakRate: 2 }), { remaining: 7, resetAfterMs: 1_500 }, 'r=7;t=4'],
    ['free slots', slots, { remaining: 2, resetAfterMs: 30_000 }, 'r=2;t=1'],
    ['the last slot', slots, { remaining: 0, resetAfterMs: 30_000, retryAfterMs: 20_000 }, 'r=0;t=1'],
    ['no slot', slots, { allowed: false, remaining: 0, resetAfterMs: 30_000, retryAfterMs: 20_000 }, 'r=0;t=1'],
    ['no slots at all', concurrency({ limit: 0, lease: '1s' }), { allowed: false, retryAfterMs: 'never' }, 'r=0'],
  ])('states %s', (_case, limit, said, parameters) => {
    expect(fieldsOf([headerItem(limit, said)]).RateLimit).toBe(`"burst";${parameters}`);
  });
});

describe('RateLimit-Policy', () => {
  it.each<[string, Limit, string]>([
    ['a window', minute, 'q=100;w=60'],
    ['a window of one second', slidingWindow({ limit: 5, window: '1s' }), 'q=5;w=1'],
    ['a window that is no whole second, rounding up', slidingWindow({ limit: 5, window: 1001 }), 'q=5;w=2'],
    ['a window shorter than a second', slidingWindow({ limit: 5, window: '999ms' }), 'q=5'],
    ['a calendar day', fixedWindow({ limit: 5, window: { unit: 'day', timeZone: 'UTC' } }), 'q=5;w=86400'],
    ['a bucket, by the time it takes to fill', bucket, 'q=100;w=10'],
    ['a slow bucket, rounding up', slowBucket, 'q=10;w=34'],
    ['a bucket that fills in less than a second', tokenBucket({ capacity: 9, refillRate: 10 }), 'q=9'],
    ['a bucket by interval', interval, 'q=100;w=240'],
    ['a bucket that never refills', neverRefilled, 'q=10'],
    ['a bucket that holds nothing', tokenBucket({ capacity: 0, refillRate: 1 }), 'q=0'],
    ['a leaky bucket', leakyBucket({ capacity: 10, leakRate: 2 }), 'q=10;w=5'],
    ['concurrency', slots, 'q=3;qu="concurrent-requests"'],
    ['more than a field can carry', slidingWindow({ limit: 4e15, window: '1ms' }), 'q=999999999999999'],
  ])('states %s', (_case, limit, parameters) => {
    expect(fieldsOf([headerItem(limit)])['RateLimit-Policy']).toBe(`"burst";${parameters}`);
  });
});

describe('retryAfterSeconds', () => {
  const refused = (retryAfterMs: number | 'never', limit: Limit = minute) =>
    headerItem(limit, { allowed: false, remaining: 0, retryAfterMs });

  it('is the longest wait of the limits that refused', () => {
    const roomy = headerItem(minute, { remaining: 9, resetAfterMs: 60_000 });
    expect(retryAfterSeconds([refused(2_001), roomy, refused(7_000), refused(1)])).toBe(7);
  });

  it('also waits for a limit that allowed, if it has no room any more', () => {
    const exhausted = { remaining: 0, retryAfterMs: 50_000 };
    expect(retryAfterSeconds([refused(2_001), headerItem(minute, exhausted)])).toBe(50);
    expect(retryAfterSeconds([refused(2_001), headerItem(minute, { ...exhausted, cost: 0 })])).toBe(3);
  });

  it('is at least 1', () => {
    expect(retryAfterSeconds([refused(1)])).toBe(1);
    expect(retryAfterSeconds([refused(0)])).toBe(1);
  });

  it('is 1 for concurrency, whatever the leases', () => {
    expect(retryAfterSeconds([refused(20_000, slots)])).toBe(1);
  });

  it('is absent if a limit that refused can never admit the request', () => {
    expect(retryAfterSeconds([refused(1_000), refused('never'), refused(2_000)])).toBeUndefined();
    expect(retryAfterSeconds([refused('never', slots)])).toBeUndefined();
  });

  it('is absent if no enforced limit refused', () => {
    const shadowed = headerItem(minute, { allowed: false, retryAfterMs: 5_000, shadow: true });
    expect(retryAfterSeconds([])).toBeUndefined();
    expect(retryAfterSeconds([headerItem(minute), headerItem(unlimited()), shadowed])).toBeUndefined();
  });
});
