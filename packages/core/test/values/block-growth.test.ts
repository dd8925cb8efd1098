import { describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type GrowingBlock, type Limit, MemoryStore, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import fc from 'fast-check';
import { checkLimit } from '../../src/algorithms/check-limit.js';
import { blockNumbers } from '../../src/values/block-growth.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CENTURY_MS = 36_525 * DAY_MS;

const lengths = (option: Parameters<typeof blockNumbers>[0]) => blockNumbers(option, 'blockDuration').blocksMs;

describe('Blocks that grow', () => {
  it.each<[option: GrowingBlock, lengthsMs: number[]]>([
    [{ first: '1m', max: '1h' }, [1, 2, 4, 8, 16, 32, 60].map((minutes) => minutes * MINUTE_MS)],
    [{ first: 100, factor: 1.5, max: 400 }, [100, 150, 225, 338, 400]],
    [{ first: '1s', factor: 1000, max: '1d' }, [1000, 1_000_000, DAY_MS]],
    [{ first: '1h', max: '1h' }, [3_600_000]],
  ])('of %j have these lengths in milliseconds', (option, expected) => {
    expect(lengths(option)).toEqual(expected);
  });

  it('are a short list of whole milliseconds, none shorter than the one before', () => {
    const option = fc.record({
      first: fc.integer({ min: 1, max: CENTURY_MS }),
      factor: fc.double({ min: 1.4, max: 1000, noNaN: true }),
      more: fc.nat(CENTURY_MS),
    });
    fc.assert(
      fc.property(option, ({ first, factor, more }) => {
        const max = Math.min(CENTURY_MS, first + more);
        const all = lengths({ first, factor, max }) ?? [];
        expect([all[0], all.at(-1)]).toEqual([first, max]);
        expect(all.length).toBeLessThanOrEqual(100);
        expect(all.every((ms, i) => Number.isSafeInteger(ms) && ms >= (all[i - 1] ?? 1))).toBe(true);
      }),
    );
  });

  it.each([
    [{ max: '1h' }, 'blockDuration.first'],
    [{ first: '1m' }, 'blockDuration.max'],
    [{ first: '1m', max: '30s' }, 'blockDuration.max'],
    [{ first: 0, max: '1h' }, 'blockDuration.first'],
    [{ first: '1m', max: '101y' }, 'blockDuration.max'],
    [{ first: '1m', max: '1h', factor: 1 }, 'blockDuration.factor'],
    [{ first: '1m', max: '1h', factor: Number.NaN }, 'blockDuration.factor'],
    [{ first: '1m', max: '1h', factor: '2' }, 'blockDuration.factor'],
    [{ first: 1, max: CENTURY_MS, factor: 1.1 }, 'blockDuration.factor'],
    [{ first: '1m', max: '1h', forget: 0 }, 'blockDuration.forget'],
    [{ first: '1m', max: '1h', growth: 2 }, 'blockDuration.growth'],
    [null, 'blockDuration'],
    [[60_000], 'blockDuration'],
  ])('are refused if they are %j', (blockDuration, path) => {
    const make = () => slidingWindow({ limit: 1, window: '1s', blockDuration: blockDuration as never });
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it('leave a limit with a plain duration as it is', () => {
    expect(slidingWindow({ limit: 1, window: '1s', blockDuration: '1m' })).toEqual({
      algorithm: 'sliding-window',
      quota: 1,
      windowMs: 1000,
      buckets: 20,
      blockMs: MINUTE_MS,
    });
  });

  it.each([
    [{ blocksMs: [] }, 'limit.blocksMs'],
    [{ blocksMs: [2000, 1000] }, 'limit.blocksMs'],
    [{ blocksMs: [1000, 1.5] }, 'limit.blocksMs'],
    [{ blocksMs: [1000, 2000], blockMs: 2000 }, 'limit.blocksMs'],
    [{ blocksMs: [1000], forgetMs: undefined }, 'limit.blocksMs'],
    [{ blocksMs: undefined, blockMs: -1 }, 'limit.blockMs'],
  ])('are checked in a limit from JSON: %j', (wrong, path) => {
    const limit = fixedWindow({ limit: 1, window: '1s', blockDuration: { first: 1000, max: 4000 } });
    const check = (own: object): Limit => checkLimit(JSON.parse(JSON.stringify({ ...limit, ...own })), 'limit');
    expect(check({})).toEqual(limit);
    expect(() => check(wrong)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
  });

  it('stay the longest for 10,000 strikes, and are the first again after that is forgotten', () => {
    const clock = new ManualClock();
    const store = new MemoryStore({ clock });
    const limiter = createLimiter({
      limit: fixedWindow({ limit: 1, window: '1ms', blockDuration: { first: '1m', max: '1h' } }),
      store,
    });
    const blockedMs = () => {
      limiter.consume('ann');
      const { retryAfterMs } = limiter.consume('ann');
      clock.advance(retryAfterMs as number);
      return retryAfterMs;
    };
    const all = Array.from({ length: 10_000 }, blockedMs);
    expect(all.slice(6).every((ms) => ms === 60 * MINUTE_MS)).toBe(true);
    clock.advance(60 * MINUTE_MS);
    expect(blockedMs()).toBe(MINUTE_MS);
    store.close();
  });
});
