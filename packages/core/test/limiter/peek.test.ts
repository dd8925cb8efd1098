import { describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, leakyBucket, slidingWindow, tokenBucket } from '@sluice/core';
import { manualStore } from '@sluice/test-kit/manual-store';

describe('peek', () => {
  it('returns the decision of consume, and leaves no trace', () => {
    const { store } = manualStore();
    const limiter = createLimiter({
      limits: [
        slidingWindow({ limit: 1, window: '1m', blockDuration: '1h', countRejected: 'always' }),
        tokenBucket({ capacity: 3, refillRate: 0 }),
      ],
      store,
    });
    expect(limiter.peek('ann').allowed).toBe(true);
    expect(limiter.peek('ann', { cost: 2 })).toMatchObject({ allowed: false, retryAfterMs: 'never' });
    expect(store.size).toBe(0);
    limiter.consume('ann');
    const before = limiter.peek('ann');
    expect(before).toMatchObject({
      allowed: false,
      verdicts: [
        { allowed: false, remaining: 0 },
        { allowed: true, remaining: 2 },
      ],
    });
    expect(limiter.peek('ann').verdicts).toEqual(before.verdicts);
  });

  it("uses the policy's cost, or another one", () => {
    const limiter = createLimiter({ limit: 10, window: '1m', cost: 6 });
    limiter.consume('ann');
    expect([limiter.peek('ann').allowed, limiter.peek('ann', { cost: 4 }).allowed]).toEqual([false, true]);
  });

  it('checks slots without taking one, and a leaky bucket without taking a place', () => {
    const limiter = createLimiter({
      limits: [concurrency({ limit: 1, lease: '30s' }), leakyBucket({ capacity: 2, leakRate: 1 })],
      store: manualStore().store,
    });
    for (let i = 0; i < 3; i += 1) {
      expect(limiter.peek('ann')).toMatchObject({
        allowed: true,
        delayMs: 0,
        verdicts: [{ remaining: 1 }, { remaining: 2 }],
      });
    }
    limiter.reserve('ann');
    expect(limiter.peek('ann')).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
  });
});
