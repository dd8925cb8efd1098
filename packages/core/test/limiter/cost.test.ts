import { describe, expect, it } from '@jest/globals';
import { createLimiter, type Decision, slidingWindow, tokenBucket } from '@sluice/core';

const remaining = ({ verdicts }: Decision): number[] => verdicts.map((verdict) => verdict.remaining);

const ten = { limit: 10, window: '1m' } as const;

describe('The cost of a request', () => {
  it('is 1 by default', () => {
    expect(remaining(createLimiter(ten).consume('ann'))).toEqual([9]);
  });

  it("is the policy's, inherited by items without one", () => {
    const limiter = createLimiter({
      cost: 3,
      limits: [{ ...ten, name: 'a' }, { ...ten, name: 'b', cost: 5 }, slidingWindow({ ...ten, name: 'c' })],
    });
    expect(remaining(limiter.consume('ann'))).toEqual([7, 5, 7]);
  });

  it('can be computed from the subject, also by a promise', async () => {
    const limiter = createLimiter({ ...ten, cost: (text: string) => text.length, keyGenerator: () => 'all' });
    expect(remaining(limiter.consume('four'))).toEqual([6]);
    const later = createLimiter({ ...ten, cost: async (text: string) => text.length });
    expect(remaining(await later.consume('four'))).toEqual([6]);
  });

  it("passed to a method replaces the policy's", () => {
    const limiter = createLimiter({ ...ten, cost: 3 });
    expect(remaining(limiter.consume('ann', { cost: 7 }))).toEqual([3]);
    expect(remaining(limiter.consume('bob', { cost: undefined as unknown as number }))).toEqual([7]);
  });

  it("passed to a method does not replace an item's own", () => {
    const limiter = createLimiter({
      limits: [
        { ...ten, name: 'requests', cost: 1 },
        { ...ten, name: 'units' },
      ],
    });
    expect(remaining(limiter.consume('ann', { cost: 6 }))).toEqual([9, 4]);
    expect(remaining(limiter.peek('ann', { cost: 9 }))).toEqual([9, 4]);
    limiter.refund('ann', { cost: 5 });
    expect(remaining(limiter.peek('ann'))).toEqual([10, 9]);
    limiter.charge('ann', { cost: 2 });
    expect(remaining(limiter.peek('ann'))).toEqual([9, 7]);
  });

  it('above the quota never fits', () => {
    expect(createLimiter(ten).consume('ann', { cost: 11 })).toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it('of -0 is 0', () => {
    const limiter = createLimiter({ ...ten, cost: () => -0 });
    expect(limiter.consume('ann').tightest.cost).toBe(0);
    expect(limiter.consume('ann', { cost: -0 }).tightest.cost).toBe(0);
  });

  it('of 0 is a decision that spends nothing, and is refused only in debt and at limit 0', () => {
    const limiter = createLimiter({ ...ten });
    expect(limiter.consume('ann', { cost: 0 })).toMatchObject({
      allowed: true,
      tightest: { remaining: 10, retryAfterMs: 0 },
    });
    limiter.consume('ann', { cost: 10 });
    expect(limiter.consume('ann', { cost: 0 })).toMatchObject({
      allowed: true,
      retryAfterMs: 0,
      tightest: { remaining: 0 },
    });
    expect(limiter.consume('ann', { cost: 0 }).tightest.retryAfterMs).toBeGreaterThan(0);
    limiter.charge('ann', { cost: 1 });
    expect(limiter.consume('ann', { cost: 0 }).allowed).toBe(false);
    expect(createLimiter({ ...ten, limit: 0 }).consume('ann', { cost: 0 })).toMatchObject({
      allowed: false,
      retryAfterMs: 'never',
    });
  });

  const wrong = [
    -1,
    0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    '1' as unknown as number,
    null as unknown as number,
  ];

  it.each(wrong)('of %p is refused, wherever it comes from, and spends nothing', (cost) => {
    const limiter = createLimiter({
      limits: [slidingWindow(ten), { limit: tokenBucket({ capacity: 10, refillRate: 1 }), cost: () => 1 }],
    });
    const byFunction = createLimiter({
      limits: [slidingWindow(ten), { limit: tokenBucket({ capacity: 10, refillRate: 1 }), cost: () => cost }],
    });
    const refused = expect.objectContaining({ code: 'SLUICE_COST', received: cost });
    for (const verb of ['consume', 'peek', 'reserve', 'refund', 'charge'] as const) {
      expect(() => limiter[verb]('ann', { cost })).toThrow(refused);
      expect(() => byFunction[verb]('ann')).toThrow(refused);
    }
    expect(remaining(limiter.peek('ann'))).toEqual([10, 10]);
  });

  it('is also checked if nothing would be charged', () => {
    const own = createLimiter({ limits: [{ ...ten, cost: 1 }] });
    const skipped = createLimiter({ ...ten, skip: () => true });
    for (const limiter of [own, skipped]) {
      expect(() => limiter.consume('ann', { cost: -1 })).toThrow(expect.objectContaining({ code: 'SLUICE_COST' }));
    }
  });

  it('is the only option of these methods', () => {
    const limiter = createLimiter(ten);
    const mistyped = { costs: 5 } as { cost?: number };
    for (const verb of ['consume', 'peek', 'reserve', 'refund', 'charge'] as const) {
      expect(() => limiter[verb]('ann', mistyped)).toThrow(
        expect.objectContaining({ code: 'SLUICE_OPTION', path: 'costs' }),
      );
    }
    expect(remaining(limiter.peek('ann'))).toEqual([10]);
  });
});
