import { describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, slidingWindow, tokenBucket } from '@sluice/core';
import { manualStore } from '@sluice/test-kit/manual-store';

const strict = slidingWindow({ limit: 2, window: '1m', countRejected: true, name: 'strict' });

describe('countRejected', () => {
  it('counts a refused request at its cost, and returns the state after that', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: strict, store });
    limiter.consume('ann', { cost: 2 });
    clock.advance('30s');
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
    clock.advance('30s');
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
    clock.advance('30s');
    expect(limiter.peek('ann').tightest.remaining).toBe(2);
  });

  it('states the wait after the refusal was counted', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: strict, store });
    limiter.consume('ann', { cost: 2 });
    clock.advance('30s');
    expect(limiter.consume('ann', { cost: 2 })).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
  });

  it('counts a refusal of any limit, on every limit with the option and on no other', () => {
    const limiter = createLimiter({
      limits: [
        strict,
        slidingWindow({ limit: 9, window: '1m', countRejected: true, name: 'also' }),
        slidingWindow({ limit: 9, window: '1m', name: 'without' }),
        slidingWindow({ limit: 1, window: '1m', name: 'tight' }),
      ],
      store: manualStore().store,
    });
    limiter.consume('ann');
    expect(limiter.consume('ann')).toMatchObject({
      allowed: false,
      verdicts: [{ remaining: 0 }, { remaining: 7 }, { remaining: 8 }, { remaining: 0 }],
    });
  });

  it('ends one window after the last admission, so that no lock-out lasts longer than two windows', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: strict, store });
    limiter.consume('ann', { cost: 2 });
    clock.advance('59999ms');
    expect(limiter.consume('ann', { cost: 2 })).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
    for (let i = 0; i < 60; i += 1) {
      expect(limiter.consume('ann').allowed).toBe(false);
      clock.advance('1s');
    }
    expect(limiter.consume('ann', { cost: 2 }).allowed).toBe(true);
  });

  it("has no end if it is 'always'", () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: slidingWindow({ limit: 2, window: '1m', countRejected: 'always' }), store });
    limiter.consume('ann', { cost: 2 });
    for (let i = 0; i < 300; i += 1) {
      clock.advance('1s');
      expect(limiter.consume('ann').allowed).toBe(false);
    }
  });

  it('counts nothing for a key that was never admitted', () => {
    const limiter = createLimiter({
      limits: [{ limit: strict }, { limit: 0, window: '1m', name: 'closed' }],
      store: manualStore().store,
    });
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, verdicts: [{ remaining: 2 }, {}] });
  });

  it("also counts such a key if it is 'always'", () => {
    const always = slidingWindow({ limit: 5, window: '1m', countRejected: 'always', name: 'always' });
    const limiter = createLimiter({ limits: [always, { limit: 0, window: '1m', name: 'closed' }] });
    expect(limiter.consume('ann', { cost: 3 }).verdicts).toMatchObject([{ remaining: 2 }, {}]);
  });

  it('counts no request that can never fit, and no peek', () => {
    const limiter = createLimiter({ limit: strict, store: manualStore().store });
    limiter.consume('ann');
    expect(limiter.consume('ann', { cost: 3 })).toMatchObject({ retryAfterMs: 'never', tightest: { remaining: 1 } });
    expect(limiter.peek('ann', { cost: 2 })).toMatchObject({ allowed: false, tightest: { remaining: 1 } });
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
  });

  it('counts nothing when only a shadow limit would have refused', () => {
    const limiter = createLimiter({
      limits: [
        { limit: slidingWindow({ limit: 1, window: '1m', countRejected: true }), name: 'shadow', enforce: 0 },
        { limit: slidingWindow({ limit: 9, window: '1m', countRejected: true }), name: 'real' },
      ],
      store: manualStore().store,
    });
    limiter.consume('ann');
    limiter.consume('ann');
    limiter.refund('ann');
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 1 }, { remaining: 8 }]);
  });

  it('leaves nothing to give back in a refused reservation', () => {
    const limiter = createLimiter({ limit: strict, store: manualStore().store });
    limiter.consume('ann', { cost: 2 });
    limiter.reserve('ann', { cost: 2 }).cancel();
    limiter.refund('ann', { cost: 2 });
    expect(limiter.peek('ann').allowed).toBe(false);
  });

  it.each([
    ['a fixed window', fixedWindow({ limit: 2, window: '1m', countRejected: true })],
    ['a bucket, whose window is its fill time', tokenBucket({ capacity: 2, refillRate: 1 / 30, countRejected: true })],
  ])('counts on %s as well', (_, limit) => {
    const limiter = createLimiter({ limit, store: manualStore().store });
    limiter.consume('ann', { cost: 2 });
    limiter.consume('ann', { cost: 2 });
    limiter.refund('ann', { cost: 2 });
    expect(limiter.peek('ann').tightest.remaining).toBe(0);
  });

  it('includes a limit that allowed in the wait, if the refusal took its last units', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({
      store,
      limits: [
        fixedWindow({ limit: 2, window: '1m', countRejected: true }),
        tokenBucket({ capacity: 1, refillRate: 1 }),
      ],
    });
    limiter.consume('ann');
    expect(limiter.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
    clock.advance(59_999);
    expect(limiter.peek('ann').allowed).toBe(false);
    clock.advance(1);
    expect(limiter.peek('ann').allowed).toBe(true);
  });
});
