import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import {
  createLimiter,
  fixedWindow,
  type Limit,
  leakyBucket,
  MemoryStore,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { limitShift } from '../../src/replay/limit-shift.js';

type Sent = readonly [atMs: number, key: string];

/** Requests of some keys, most of them in bursts. */
function requestsOf(seed: number): Sent[] {
  const random = seededRandom(seed);
  let atMs = Date.UTC(2026, 10, 22);
  return Array.from({ length: 800 }, () => {
    atMs += random() < 0.2 ? Math.floor(-Math.log(1 - random()) * 500) : 1;
    return [atMs, `key ${Math.floor(random() ** 2 * 8)}`];
  });
}

function refusedOf(limit: Limit, requests: readonly Sent[]): number {
  const clock = new ManualClock(requests[0]?.[0]);
  const limiter = createLimiter({ limit, store: closedAfterTest(new MemoryStore({ clock })) });
  return requests.filter(([atMs, key]) => {
    clock.set(atMs);
    return !limiter.consume(key).allowed;
  }).length;
}

describe('limits that are a second stricter and a second more generous', () => {
  it.each<[string, Limit]>([
    ['a sliding window of a minute', slidingWindow({ limit: 15, window: '1m' })],
    ['a coarse sliding window', slidingWindow({ limit: 40, window: '30s' })],
    ['a sliding window of a second', slidingWindow({ limit: 3, window: '1s' })],
    ['a counter', slidingWindowCounter({ limit: 15, window: '30s' })],
    ['a fixed window', fixedWindow({ limit: 15, window: '1m', align: 'first-request' })],
    ['a fixed window of the clock', fixedWindow({ limit: 15, window: '1m', align: 'clock' })],
    ['a calendar window', fixedWindow({ limit: 60, window: { unit: 'hour', timeZone: 'UTC' } })],
    ['a token bucket', tokenBucket({ capacity: 8, refillRate: 1 })],
    ['a large token bucket', tokenBucket({ capacity: 25, refillRate: 2 })],
    ['a bucket that a second fills', tokenBucket({ capacity: 1, refillRate: 2 })],
    ['a bucket with intervals', tokenBucket({ capacity: 10, refillRate: 5, refillInterval: '10s' })],
    ['a leaky bucket', leakyBucket({ capacity: 8, leakRate: 1 })],
  ])('refuse at least and at most what %s refused, if times are whole seconds', (_, limit) => {
    let isWorking = false;
    for (let seed = 1; seed <= 3; seed += 1) {
      const requests = requestsOf(seed);
      const coarse = requests.map(([atMs, key]): Sent => [atMs - (atMs % 1000), key]);
      const refused = refusedOf(limit, requests);
      const least = refusedOf(limitShift(-1000)(limit), coarse);
      const most = refusedOf(limitShift(1000)(limit), coarse);
      expect(least).toBeLessThanOrEqual(refused);
      expect(most).toBeGreaterThanOrEqual(refused);
      isWorking ||= refused > 0 && refused < requests.length;
    }
    expect(isWorking).toBe(true);
  });

  it('are the same objects each time, so that the core knows them', () => {
    const shift = limitShift(1000);
    const limit = slidingWindow({ limit: 5, window: '1m' });
    expect(shift(limit)).toBe(shift(limit));
  });
});
