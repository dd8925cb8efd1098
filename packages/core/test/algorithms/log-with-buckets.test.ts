import { expect, it } from '@jest/globals';
import { createLimiter, type Limit, MemoryStore, slidingWindowLog } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';

it('A log from elsewhere that has buckets is a log all the same: each unit counts for the window, to the millisecond', () => {
  const clock = new ManualClock(1_000_000);
  const limit: Limit = { ...slidingWindowLog({ limit: 30, window: '1s' }), buckets: 2 };
  const limiter = createLimiter({ limit, store: new MemoryStore({ clock }) });
  for (let i = 0; i < 30; i += 1) {
    expect(limiter.consume('ann').allowed).toBe(true);
    clock.advance(10);
  }
  // The first one was 300 ms ago, and counts for 700 ms more.
  expect(limiter.consume('ann').retryAfterMs).toBe(700);
});
