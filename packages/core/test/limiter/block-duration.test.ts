import { describe, expect, it } from '@jest/globals';
import { createLimiter, slidingWindow, tokenBucket } from '@sluice/core';
import { manualStore } from '@sluice/test-kit/manual-store';

const guarded = slidingWindow({ limit: 2, window: '1s', blockDuration: '10m', name: 'guarded' });

describe('blockDuration', () => {
  it('refuses the key for this long after the limit has refused it, whatever the window says', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: guarded, store });
    limiter.consume('ann', { cost: 2 });
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 600_000, tightest: { remaining: 0 } });
    clock.advance('599999ms');
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 1, tightest: { remaining: 0 } });
    clock.advance(1);
    expect(limiter.consume('ann')).toMatchObject({ allowed: true, tightest: { remaining: 1 } });
  });

  it('waits for the window if it ends later', () => {
    const { store } = manualStore();
    const limiter = createLimiter({ limit: slidingWindow({ limit: 2, window: '1h', blockDuration: '1m' }), store });
    limiter.consume('ann', { cost: 2 });
    expect(limiter.consume('ann').retryAfterMs).toBe(3_600_000);
  });

  it('blocks only one key', () => {
    const limiter = createLimiter({ limit: guarded, store: manualStore().store });
    limiter.consume('ann', { cost: 2 });
    limiter.consume('ann');
    expect(limiter.consume('bob').allowed).toBe(true);
  });

  it('is not started by another limit, a peek, or a cost of 0', () => {
    const { clock, store } = manualStore();
    const closed = slidingWindow({ limit: 1, window: '1s', name: 'other' });
    const limiter = createLimiter({ limits: [guarded, closed], store });
    limiter.consume('ann');
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, verdicts: [{ allowed: true }, { allowed: false }] });
    limiter.peek('ann', { cost: 2 });
    limiter.charge('ann', { cost: 3 });
    expect(limiter.consume('ann', { cost: 0 }).allowed).toBe(false);
    clock.advance('1s');
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('is started by the limit that refuses, and does not block other limits', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({
      limits: [guarded, slidingWindow({ limit: 1, window: '1s', blockDuration: '1m', name: 'shorter' })],
      store,
    });
    limiter.consume('ann');
    limiter.consume('ann');
    clock.advance('1m');
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('also refuses a cost of 0', () => {
    const limiter = createLimiter({ limit: guarded, store: manualStore().store });
    limiter.consume('ann', { cost: 2 });
    limiter.consume('ann');
    expect(limiter.consume('ann', { cost: 0 }).allowed).toBe(false);
  });

  it('shows in a peek, and keeps never for a request that can never fit', () => {
    const limiter = createLimiter({ limit: guarded, store: manualStore().store });
    expect(limiter.consume('ann', { cost: 3 })).toMatchObject({ allowed: false, retryAfterMs: 'never' });
    expect(limiter.peek('ann')).toMatchObject({ allowed: false, retryAfterMs: 600_000, tightest: { remaining: 0 } });
  });

  it('works for buckets, and for every tier of the key', () => {
    const { clock, store } = manualStore();
    let capacity = 1;
    const limiter = createLimiter({
      limit: () => tokenBucket({ capacity, refillRate: 1, blockDuration: '1m' }),
      store,
    });
    limiter.consume('ann');
    limiter.consume('ann');
    capacity = 50;
    clock.advance('30s');
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
  });
});
