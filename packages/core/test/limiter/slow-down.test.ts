import { describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, leakyBucket, slidingWindow } from '@sluice/core';
import { manualStore } from '@sluice/test-kit/manual-store';

const SLOW = { limit: 10, window: '1m', slowDown: { after: 3, by: '500ms', upTo: '2s' } } as const;

describe('slowDown', () => {
  it('delays what is admitted beyond after by each unit, up to upTo, and refuses past the limit', () => {
    const limiter = createLimiter({ ...SLOW, store: manualStore().store });
    const decisions = Array.from({ length: 11 }, () => limiter.consume('ann'));
    expect(decisions.map(({ delayMs }) => delayMs)).toEqual([0, 0, 0, 500, 1000, 1500, 2000, 2000, 2000, 2000, 0]);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([...Array(10).fill(true), false]);
    expect(decisions[4]?.tightest).toMatchObject({ delayMs: 1000, used: 5 });
  });

  it('says in a peek what the delay would be', () => {
    const limiter = createLimiter({ ...SLOW, store: manualStore().store });
    for (let i = 0; i < 4; i += 1) limiter.consume('ann');
    expect([limiter.peek('ann').delayMs, limiter.peek('ann', { cost: 2 }).delayMs]).toEqual([1000, 1500]);
  });

  it('delays by the used units that are left in the window', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ ...SLOW, store });
    for (let i = 0; i < 5; i += 1) limiter.consume('ann');
    clock.advance('2m');
    expect(limiter.consume('ann').delayMs).toBe(0);
  });

  it('delays nothing by a limit that is not enforced, and counts what a reservation waits for', async () => {
    const { clock, store } = manualStore();
    const shadow = createLimiter({ ...SLOW, name: 'shadow', enforce: 0, store });
    for (let i = 0; i < 6; i += 1) expect(shadow.consume('ann').delayMs).toBe(0);
    const limiter = createLimiter({ ...SLOW, store });
    for (let i = 0; i < 4; i += 1) limiter.consume('ann');
    const waiting = limiter.wait('ann');
    await clock.untilSleeping(1);
    clock.advance('1s');
    expect((await waiting).allowed).toBe(true);
    expect((await limiter.wait('ann', { maxWait: '1s' })).allowed).toBe(false);
  });

  it("is inherited, and one limit's own", () => {
    const limiter = createLimiter({
      slowDown: { after: 0, by: 10, upTo: 1000 },
      limits: [
        slidingWindow({ limit: 5, window: '1m' }),
        { limit: 5, window: '1h', slowDown: { after: 0, by: 30, upTo: 1000 } },
      ],
      store: manualStore().store,
    });
    expect(limiter.consume('ann').verdicts.map(({ delayMs }) => delayMs)).toEqual([10, 30]);
    expect(limiter.consume('ann').delayMs).toBe(60);
  });

  it('multiplies exactly, however many units are used', () => {
    const limiter = createLimiter({
      limit: 2 ** 51,
      window: '1m',
      slowDown: { after: 0, by: '1h', upTo: '36500d' },
      store: manualStore().store,
    });
    expect(limiter.consume('ann', { cost: 2 ** 50 }).delayMs).toBe(36_500 * 86_400_000);
  });

  it.each<[string, object]>([
    ['slowDown.after', { slowDown: { by: 1, upTo: 1 } }],
    ['slowDown.after', { slowDown: { after: 10, by: 1, upTo: 1 } }],
    ['slowDown.by', { slowDown: { after: 1, by: 0, upTo: 1 } }],
    ['slowDown.upTo', { slowDown: { after: 1, by: 1 } }],
    ['slowDown.waiting', { slowDown: { after: 1, by: 1, upTo: 1, waiting: 0 } }],
    ['slowDown.until', { slowDown: { after: 1, by: 1, upTo: 1, until: 1 } }],
    ['slowDown', { slowDown: 5 }],
    [
      'slowDown',
      { limit: leakyBucket({ capacity: 5, leakRate: 1 }), window: undefined, slowDown: { after: 1, by: 1, upTo: 1 } },
    ],
    [
      'slowDown',
      { limit: concurrency({ limit: 5, lease: '1s' }), window: undefined, slowDown: { after: 1, by: 1, upTo: 1 } },
    ],
  ])('refuses a wrong %s', (path, own) => {
    expect(() => createLimiter({ limit: 10, window: '1m', ...own } as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });
});
