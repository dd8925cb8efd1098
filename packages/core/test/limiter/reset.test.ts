import { describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, type Limit, slidingWindow, tokenBucket } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { manualStore } from '@sluice/test-kit/manual-store';

describe('reset', () => {
  it('removes a key in every limit of the policy, and no other key', () => {
    const limiter = createLimiter({
      limits: [slidingWindow({ limit: 5, window: '1m' }), tokenBucket({ capacity: 5, refillRate: 0 })],
    });
    limiter.consume('ann', { cost: 5 });
    limiter.consume('bob', { cost: 2 });
    expect(limiter.reset('ann')).toBe(true);
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 5 }, { remaining: 5 }]);
    expect(limiter.peek('bob').verdicts).toMatchObject([{ remaining: 3 }, { remaining: 3 }]);
  });

  it('removes the units that other tiers of the key spent, under every algorithm', () => {
    const window = slidingWindow({ limit: 5, window: '1m' });
    const bucket = tokenBucket({ capacity: 5, refillRate: 0 });
    let limit: Limit = window;
    const limiter = createLimiter({ limit: () => limit });
    limiter.consume('ann', { cost: 5 });
    limit = bucket;
    limiter.consume('ann', { cost: 5 });
    limiter.reset('ann');
    expect(limiter.peek('ann').tightest.remaining).toBe(5);
    limit = window;
    expect(limiter.peek('ann').tightest.remaining).toBe(5);
  });

  it('lifts a block, and forgives debt', () => {
    const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1s', blockDuration: '1h' }) });
    limiter.charge('ann', { cost: 2 });
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 3_600_000 });
    limiter.reset('ann');
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  it('frees slots, whose holders can still settle', () => {
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: '30s' }), store: manualStore().store });
    const first = limiter.reserve('ann');
    limiter.reset('ann');
    const second = limiter.reserve('ann');
    expect(second.allowed).toBe(true);
    first.settle();
    expect(limiter.peek('ann').tightest.remaining).toBe(0);
    second.settle();
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
  });

  it('takes the key itself instead of the subject, for each item', () => {
    const limiter = createLimiter({
      limits: [
        { name: 'user', limit: 5, window: '1m', keyGenerator: ({ id }: { id: string }) => ['user', id] },
        { name: 'all', limit: 5, window: '1m', keyGenerator: () => 'all' },
      ],
    });
    const remaining = (): number[] => limiter.peek({ id: 'ann' }).verdicts.map((verdict) => verdict.remaining);
    limiter.consume({ id: 'ann' });
    limiter.reset('ann');
    expect(remaining()).toEqual([4, 4]);
    limiter.reset(['user', 'ann']);
    expect(remaining()).toEqual([5, 4]);
    limiter.reset('all');
    expect(remaining()).toEqual([5, 5]);
  });

  it('removes nothing of another policy on the same store', () => {
    const { store } = manualStore();
    const one = createLimiter({ name: 'one', limits: [slidingWindow({ limit: 5, window: '1m' })], store });
    const other = createLimiter({ name: 'other', limits: [slidingWindow({ limit: 5, window: '1m' })], store });
    one.consume('ann');
    other.consume('ann');
    one.reset('ann');
    expect([one.peek('ann').tightest.remaining, other.peek('ann').tightest.remaining]).toEqual([5, 4]);
  });

  it('returns whether there was anything to remove', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({
      limits: [slidingWindow({ limit: 5, window: '1m' }), tokenBucket({ capacity: 5, refillRate: 1 })],
      store,
    });
    expect(limiter.reset('nobody')).toBe(false);
    limiter.consume('ann');
    expect(limiter.reset('bob')).toBe(false);
    expect(limiter.reset('ann')).toBe(true);
    expect(limiter.reset('ann')).toBe(false);
    limiter.consume('ann');
    clock.advance('1m');
    expect(limiter.reset('ann')).toBe(false);
  });

  it('refuses an invalid key, in the style of the store', async () => {
    const noKey = undefined as unknown as string;
    expect(() => createLimiter({ limit: 5, window: '1m' }).reset(noKey)).toThrow(
      expect.objectContaining({ code: 'SLUICE_KEY' }),
    );
    const later = createLimiter({ limit: 5, window: '1m', store: new AsyncStore() });
    await expect(later.reset(noKey)).rejects.toMatchObject({ code: 'SLUICE_KEY' });
    await expect(later.reset('ann')).resolves.toBe(false);
    await later.consume('ann');
    await expect(later.reset('ann')).resolves.toBe(true);
  });
});
