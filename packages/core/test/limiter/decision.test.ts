import { describe, expect, it } from '@jest/globals';
import {
  createLimiter,
  type Decision,
  type Duration,
  fixedWindow,
  leakyBucket,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { manualStore } from '@sluice/test-kit/manual-store';

const per = (limit: number, window: Duration, name: string) => slidingWindow({ limit, window, name });

describe('All or nothing', () => {
  it('spends on every limit if all allow', () => {
    const limiter = createLimiter({ limits: [per(5, '1m', 'a'), per(9, '1h', 'b')] });
    expect(limiter.consume('ann', { cost: 2 }).verdicts).toMatchObject([{ remaining: 3 }, { remaining: 7 }]);
  });

  it.each([0, 1, 2])('spends on none when number %p of three refuses', (tight) => {
    const limits = [9, 9, 9].map((limit, i) => per(i === tight ? 1 : limit, '1m', `limit-${i}`));
    const limiter = createLimiter({ limits });
    const decision = limiter.consume('ann', { cost: 2 });
    expect(decision.allowed).toBe(false);
    expect(decision.verdicts.map(({ allowed }) => allowed)).toEqual([0, 1, 2].map((i) => i !== tight));
    expect(decision.verdicts.map(({ remaining }) => remaining)).toEqual([0, 1, 2].map((i) => (i === tight ? 1 : 9)));
  });
});

describe('A verdict', () => {
  it('has the limit, its own result, and the state after spending', () => {
    const { clock, store } = manualStore();
    const limit = slidingWindow({ limit: 3, window: '1m' });
    const limiter = createLimiter({ limit, store });
    limiter.consume('ann');
    clock.advance('20s');
    expect(limiter.consume('ann').verdicts).toMatchObject([
      { name: 'per-1m', limit, allowed: true, remaining: 1, resetAfterMs: 60_000, retryAfterMs: 0, delayMs: 0 },
    ]);
    expect(limiter.consume('ann').tightest).toMatchObject({ allowed: true, remaining: 0, retryAfterMs: 40_000 });
    expect(limiter.consume('ann').tightest).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 40_000 });
  });

  it('of an allowed request states when the same request fits again, 0 if now', () => {
    const limiter = createLimiter({ limit: fixedWindow({ limit: 10, window: '1m' }), store: manualStore().store });
    expect(limiter.consume('ann', { cost: 4 }).tightest.retryAfterMs).toBe(0);
    expect(limiter.consume('ann', { cost: 4 }).tightest).toMatchObject({ remaining: 2, retryAfterMs: 60_000 });
  });

  it("has 'never' if units do not come back", () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 2, refillRate: 0 }) });
    expect(limiter.consume('ann').tightest).toMatchObject({ resetAfterMs: 'never', retryAfterMs: 0 });
    expect(limiter.consume('ann').tightest).toMatchObject({ allowed: true, retryAfterMs: 'never' });
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it('keeps the order of the policy', () => {
    const limiter = createLimiter({ limits: [per(1, '1h', 'z'), per(2, '1m', 'a'), per(3, '1s', 'm')] });
    expect(limiter.consume('ann').verdicts.map(({ name }) => name)).toEqual(['z', 'a', 'm']);
  });
});

describe('A decision', () => {
  const retries = ({ allowed, retryAfterMs, tightest }: Decision) => [allowed, retryAfterMs, tightest.name];

  it('that allows has no wait', () => {
    const limiter = createLimiter({ limits: [per(1, '1m', 'a'), per(1, '1h', 'b')], store: manualStore().store });
    expect(retries(limiter.consume('ann'))).toEqual([true, 0, 'b']);
  });

  it('that refuses has the longest wait of the limits that refused', () => {
    const limiter = createLimiter({
      limits: [per(1, '1m', 'a'), per(1, '1h', 'b'), per(9, '1d', 'c')],
      store: manualStore().store,
    });
    limiter.consume('ann');
    expect(retries(limiter.consume('ann'))).toEqual([false, 3_600_000, 'b']);
  });

  it("has 'never' if one limit has it", () => {
    const never = tokenBucket({ capacity: 1, refillRate: 0, name: 'never' });
    const limiter = createLimiter({
      limits: [per(1, '1m', 'a'), never, per(1, '1h', 'b')],
      store: manualStore().store,
    });
    limiter.consume('ann');
    expect(retries(limiter.consume('ann'))).toEqual([false, 'never', 'never']);
  });

  it('prefers a verdict that refused to one with fewer remaining units as the tightest', () => {
    const limiter = createLimiter({
      limits: [per(2, '1h', 'full'), per(5, '1m', 'refusing')],
      store: manualStore().store,
    });
    limiter.consume('ann', { cost: 2 });
    limiter.refund('ann', { cost: 0 });
    const decision = createLimiter({ limits: [per(4, '1m', 'small'), per(9, '1m', 'large')] }).consume('ann', {
      cost: 5,
    });
    expect(decision.tightest.name).toBe('small');
    expect(limiter.peek('ann', { cost: 4 }).tightest.name).toBe('full');
  });

  it.each<[rule: string, expected: string, limits: [limit: number, window: Duration, name: string][]]>([
    [
      'the smallest remaining',
      'b',
      [
        [5, '1h', 'a'],
        [3, '1m', 'b'],
        [4, '1h', 'c'],
      ],
    ],
    [
      'then the longest reset',
      'b',
      [
        [3, '1m', 'a'],
        [3, '1h', 'b'],
        [3, '1m', 'c'],
      ],
    ],
    [
      'then the first',
      'a',
      [
        [3, '1m', 'a'],
        [3, '1m', 'b'],
      ],
    ],
  ])('has as the tightest, if all allow, %s: %s', (_, expected, limits) => {
    const limiter = createLimiter({ limits: limits.map((limit) => per(...limit)), store: manualStore().store });
    expect(limiter.consume('ann').tightest.name).toBe(expected);
  });

  it('has the longest delay of its leaky buckets', () => {
    const limiter = createLimiter({
      limits: [
        leakyBucket({ capacity: 9, leakRate: 2, name: 'quick' }),
        leakyBucket({ capacity: 9, leakRate: 0.5, name: 'slow' }),
      ],
      store: manualStore().store,
    });
    expect(limiter.consume('ann').delayMs).toBe(0);
    expect(limiter.consume('ann')).toMatchObject({ delayMs: 2000, verdicts: [{ delayMs: 500 }, { delayMs: 2000 }] });
  });

  it('does not wait for a leaky bucket that is not enforced', () => {
    const queue = leakyBucket({ capacity: 9, leakRate: 2 });
    for (const limits of [[{ limit: queue, enforce: 0 }], [{ limit: queue, enforce: 0 }, per(9, '1m', 'a')]]) {
      const limiter = createLimiter({ limits, store: manualStore().store });
      limiter.consume('ann');
      expect(limiter.consume('ann').delayMs).toBe(0);
    }
  });
});
