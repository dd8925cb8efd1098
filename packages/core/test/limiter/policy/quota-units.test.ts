import { describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, type LimitItem, MemoryStore, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';

const MINUTE = slidingWindow({ limit: 100, window: '1m' });
const SLOTS = concurrency({ limit: 3, lease: '30s' });

const limiterOf = (...limits: LimitItem<[subject: string], false>[]) =>
  createLimiter({ limits, store: new MemoryStore({ clock: new ManualClock() }) });

const wrong = (path: string, message: RegExp) =>
  expect.objectContaining({ code: 'SLUICE_OPTION', path, message: expect.stringMatching(message) });

describe('The unit of a limit', () => {
  it('is in the verdicts of a decision, a peek and a refusal, with one limit and with several', () => {
    const limiter = createLimiter({
      limit: MINUTE,
      quotaUnit: 'tokens',
      store: new MemoryStore({ clock: new ManualClock() }),
    });
    for (const decision of [
      limiter.consume('ann', { cost: 60 }),
      limiter.peek('ann'),
      limiter.consume('ann', { cost: 60 }),
    ])
      expect(decision.tightest).toMatchObject({ quotaUnit: 'tokens', remaining: 40 });
    const both = limiterOf({ name: 'a', limit: MINUTE }, { name: 'b', limit: MINUTE, quotaUnit: 'micro-usd' });
    expect(both.consume('ann').verdicts.map(({ quotaUnit }) => quotaUnit)).toEqual([undefined, 'micro-usd']);
  });

  it('is absent if it is requests, the default', () => {
    for (const item of [{ limit: MINUTE }, { limit: MINUTE, quotaUnit: 'requests' }])
      expect(limiterOf(item).consume('ann').tightest).not.toHaveProperty('quotaUnit');
  });

  it('is inherited from the policy, as the cost is, but not by slots', () => {
    const limiter = createLimiter({
      quotaUnit: 'tokens',
      limits: [{ name: 'a', limit: MINUTE }, { name: 'b', limit: MINUTE, quotaUnit: 'requests' }, SLOTS],
    });
    const reservation = limiter.reserve('ann');
    const units = reservation.verdicts.map(({ quotaUnit }) => quotaUnit);
    reservation.cancel();
    expect(units).toEqual(['tokens', undefined, undefined]);
  });

  it.each<[item: LimitItem<[subject: string], false>, path: string, message: RegExp]>([
    [{ limit: MINUTE, quotaUnit: '' }, 'limits[0].quotaUnit', /1 to 128 printable ASCII characters, got ""/],
    [{ limit: MINUTE, quotaUnit: 'Ünits' }, 'limits[0].quotaUnit', /printable ASCII/],
    [{ limit: MINUTE, quotaUnit: 'a\nb' }, 'limits[0].quotaUnit', /printable ASCII/],
    [{ limit: MINUTE, quotaUnit: 5 as never }, 'limits[0].quotaUnit', /printable ASCII .*got 5/],
    [{ limit: MINUTE, quotaUnit: 'concurrent-requests' }, 'limits[0].quotaUnit', /must be left to concurrency\(/],
    [{ limit: () => MINUTE, quotaUnit: 'concurrent-requests' }, 'limits[0].quotaUnit', /must be left to concurrency\(/],
    [{ limit: SLOTS, quotaUnit: 'tokens' }, 'limits[0].quotaUnit', /unit is concurrent-requests, got "tokens"/],
  ])('is refused at construction: %j', (item, path, message) => {
    expect(() => limiterOf(item)).toThrow(wrong(path, message));
  });

  it('can be stated for slots', () => {
    expect(() => limiterOf({ limit: SLOTS, quotaUnit: 'concurrent-requests' })).not.toThrow();
  });
});
