import { describe, expect, it } from '@jest/globals';
import { concurrency, leakyBucket, slidingWindow, tokenBucket } from '@sluice/core';
import { anyPlainLimit, runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { shareOf } from '../../src/algorithms/share.js';

describe('the share of one instance', () => {
  it.each([
    [100, 1, 100],
    [100, 4, 25],
    [100, 3, 34],
    [3, 10, 1],
    [1, 2, 1],
    [0, 3, 0],
  ])('of %d among %d is %d', (limit, instances, quota) => {
    expect(shareOf(slidingWindow({ limit, window: '1m' }), instances).quota).toBe(quota);
  });

  it('divides rates exactly', () => {
    expect(shareOf(tokenBucket({ capacity: 10, refillRate: 5 }), 4)).toMatchObject({
      quota: 3,
      capacity: 3,
      refillUnits: 1,
      refillPeriodMs: 800,
    });
    expect(shareOf(leakyBucket({ capacity: 10, leakRate: 2 }), 3)).toMatchObject({
      quota: 4,
      capacity: 4,
      refillUnits: 1,
      refillPeriodMs: 1500,
    });
    const byInterval = tokenBucket({ capacity: 10, refillRate: 3, refillInterval: '1s' });
    expect(shareOf(byInterval, 2)).toMatchObject({
      capacity: 5,
      refillUnits: 3,
      refillPeriodMs: 2000,
      byInterval: true,
    });
  });

  it('keeps the window, lease and everything else', () => {
    const limit = concurrency({ name: 'reports', limit: 5, lease: '30s' });
    expect(shareOf(limit, 2)).toEqual({ ...limit, quota: 3 });
  });

  it('is a frozen limit: all shares together reach the limit, and with one unit less each they would not', () => {
    fc.assert(
      fc.property(anyPlainLimit, fc.integer({ min: 1, max: 50 }), (limit, instances) => {
        const before = structuredClone(limit);
        const share = shareOf(limit, instances);
        expect(limit).toEqual(before);
        expect(Object.isFrozen(share)).toBe(true);
        expect(share.quota * instances).toBeGreaterThanOrEqual(limit.quota);
        if (limit.quota > 0) expect((share.quota - 1) * instances).toBeLessThan(limit.quota);
      }),
      runs(),
    );
  });
});
