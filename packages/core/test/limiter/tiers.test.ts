import { describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type Limit, slidingWindow, tokenBucket, unlimited } from '@sluice/core';
import { manualStore } from '@sluice/test-kit/manual-store';

interface User {
  readonly id: string;
  readonly plan: 'free' | 'paid' | 'staff';
}

const keyGenerator = (user: User): string => user.id;

describe('A tier', () => {
  it('chooses a number by the subject', () => {
    const limiter = createLimiter({
      limit: (user: User) => (user.plan === 'paid' ? 3 : 1),
      window: '1m',
      keyGenerator,
    });
    expect(limiter.consume({ id: 'ann', plan: 'paid' }).tightest.remaining).toBe(2);
    expect(limiter.consume({ id: 'bob', plan: 'free' }).tightest.remaining).toBe(0);
  });

  it('chooses a Limit by the subject, including unlimited()', () => {
    const limits: Record<User['plan'], Limit> = {
      free: slidingWindow({ limit: 1, window: '1m' }),
      paid: tokenBucket({ capacity: 9, refillRate: 1 }),
      staff: unlimited(),
    };
    const limiter = createLimiter({ limit: (user: User) => limits[user.plan], keyGenerator });
    const remaining = (plan: User['plan']): number => limiter.consume({ id: 'ann', plan }).tightest.remaining;
    expect([remaining('free'), remaining('paid'), remaining('staff')]).toEqual([0, 8, Number.MAX_SAFE_INTEGER]);
  });

  it.each<[allowed: boolean, what: string, limitOf: (quota: number) => Limit]>([
    [false, 'a sliding window', (limit) => slidingWindow({ limit, window: '1m' })],
    [false, 'a fixed window', (limit) => fixedWindow({ limit, window: '1m' })],
    [true, 'a bucket, whose level stays', (capacity) => tokenBucket({ capacity, refillRate: 0 })],
  ])('that becomes smaller keeps spent units (then allowed: %p): %s', (allowed, _, limitOf) => {
    let quota = 10;
    const limiter = createLimiter({ limit: () => limitOf(quota), store: manualStore().store });
    limiter.consume('ann', { cost: 4 });
    quota = 4;
    expect(limiter.consume('ann').allowed).toBe(allowed);
  });

  it('that becomes larger at run time admits the difference at once', () => {
    let limit = 2;
    const limiter = createLimiter({ limit: () => limit, window: '1m', store: manualStore().store });
    limiter.consume('ann', { cost: 2 });
    expect(limiter.consume('ann').allowed).toBe(false);
    limit = 5;
    expect(limiter.consume('ann', { cost: 3 })).toMatchObject({ allowed: true, tightest: { remaining: 0 } });
    limit = 2;
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
  });

  it('of another algorithm starts fresh, and does not change the first', () => {
    let limit: Limit = slidingWindow({ limit: 2, window: '1m' });
    const limiter = createLimiter({ limit: () => limit, store: manualStore().store });
    limiter.consume('ann', { cost: 2 });
    limit = tokenBucket({ capacity: 2, refillRate: 1 });
    expect(limiter.consume('ann', { cost: 2 }).allowed).toBe(true);
    limit = slidingWindow({ limit: 2, window: '1m' });
    expect(limiter.consume('ann').allowed).toBe(false);
  });

  it('may be asynchronous over any store', async () => {
    const number = createLimiter({
      limit: async (user: User) => (user.plan === 'paid' ? 2 : 1),
      window: '1m',
      keyGenerator,
    });
    expect((await number.consume({ id: 'ann', plan: 'paid' })).tightest.remaining).toBe(1);
    const limit = createLimiter({ limit: async () => slidingWindow({ limit: 4, window: '1m' }) });
    expect((await limit.consume('ann')).tightest).toMatchObject({ name: 'tier', remaining: 3 });
  });

  it('of limit 0 refuses until it is larger', () => {
    let limit = 0;
    const limiter = createLimiter({ limit: () => limit, window: '1m' });
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 'never' });
    limit = 1;
    expect(limiter.consume('ann').allowed).toBe(true);
  });

  // Values that a program without types returns, or a map without the requested plan.
  const absent = undefined as unknown as number & Limit;

  it.each([
    ['a number', () => createLimiter({ limits: [{ limit: () => absent, window: '1m' }] }), 'limits[0].limit()'],
    ['a Limit', () => createLimiter({ limit: () => absent }), 'limit()'],
  ])('that returns undefined is an error if %s is needed, and never no limit', (_, make, path) => {
    expect(() => make().consume('ann')).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path, received: undefined }),
    );
  });

  it.each([
    ['a number', () => createLimiter({ limit: async () => absent, window: '1m' })],
    ['a Limit', () => createLimiter({ limit: async () => absent })],
  ])('that resolves with undefined is a rejection if %s is needed', async (_, make) => {
    await expect(make().consume('ann')).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'limit()' });
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'that returns %p is refused by the rules of a limit',
    (limit) => {
      const limiter = createLimiter({ limit: () => limit, window: '1m' });
      expect(() => limiter.consume('ann')).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'limit()' }));
    },
  );
});
