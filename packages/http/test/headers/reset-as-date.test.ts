import '@sluice/core/calendars';
import { expect, it } from '@jest/globals';
import { tokenBucket } from '@sluice/core/src/algorithms/buckets/token';
import { fixedWindow } from '@sluice/core/src/algorithms/fixed-window';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';
import type { Verdict } from '@sluice/core/src/values/decision';
import type { Limit } from '@sluice/core/src/values/limit';
import { HeaderFields } from '../../src/headers/fields.js';
import { headerItem } from './header-item.js';

/** Returns the date that is sent at this time of day. */
function resetAt(nowMs: number, limit: Limit, numbers: Partial<Verdict>): string | undefined {
  const clock = new ManualClock();
  clock.set(nowMs);
  const fields = new HeaderFields({ standardHeaders: false, legacyHeaders: { resetAs: 'epoch' } }, clock);
  return fields.record([headerItem(limit, numbers)])['X-RateLimit-Reset'];
}

const minute = fixedWindow({ limit: 100, window: '1m' });
const ofClock = fixedWindow({ limit: 100, window: '1m', align: 'clock' });
const ofCalendar = fixedWindow({ limit: 100, window: { unit: 'day', timeZone: 'UTC' } });
const bucket = tokenBucket({ capacity: 100, refillRate: 4 });

it.each<[title: string, nowMs: number, Limit, Partial<Verdict>, expected: string]>([
  ['the sum is rounded up once', 10_900, minute, { remaining: 99, resetAfterMs: 59_100 }, '70'],
  ['not its parts', 10_100, minute, { remaining: 99, resetAfterMs: 1_100 }, '12'],
  ['a part of a second counts as one', 10_900, minute, { remaining: 99, resetAfterMs: 59_101 }, '71'],
  ['it is later than now', 10_000, minute, { resetAfterMs: 0 }, '11'],
  [
    'a window of the clock ends with a second, though the decision took 3 ms',
    10_003,
    ofClock,
    { resetAfterMs: 50_000 },
    '60',
  ],
  ['so does one of the calendar', 10_040, ofCalendar, { resetAfterMs: 86_390_000 }, '86400'],
  ['a block of it ends at any time', 10_003, ofClock, { blocked: true, allowed: false, retryAfterMs: 30_000 }, '41'],
  ['what a bucket has left, as time: 3 units of 250 ms', 10_300, bucket, { remaining: 3, resetAfterMs: 24_250 }, '12'],
])('As a date, %s', (_, nowMs, limit, numbers, expected) => {
  expect(resetAt(nowMs, limit, numbers)).toBe(expected);
});
