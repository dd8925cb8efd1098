import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type Limit, type Limiter, type Store, slidingWindow } from '@sluice/core';

/** What two instances of a program share: the object that owns the policies. */
const OWNER = {};

/**
 * Tests that a limiter blocks keys by hand, over any store.
 *
 * @param make - returns the stores of two instances that count in the same empty place; for one process, the same store twice
 */
export function blockSuite(name: string, make: () => Promise<readonly [Store, Store]>): void {
  let stores: readonly [Store, Store];
  let here: Limiter;
  let there: Limiter;

  const limitersOf = (limit: Limit): void => {
    const options = { name: 'api', limit, onStoreError: 'deny' } as const;
    [here, there] = stores.map((store) => createLimiter({ ...options, store }, OWNER)) as [Limiter, Limiter];
  };

  describe(`Over ${name}, a key that is blocked by hand`, () => {
    beforeEach(async () => {
      stores = await make();
      limitersOf(slidingWindow({ limit: 5, window: '1h' }));
    });

    afterEach(async () => {
      for (const store of stores) await store.close();
    });

    it('is refused here, and in an instance that has not met it', async () => {
      await here.consume('ann');
      await here.block('ann', '1h', { reason: 'scraping', reveal: true });
      for (const limiter of [here, there]) {
        const { allowed, tightest } = await limiter.consume('ann');
        expect([allowed, tightest.blocked, tightest.remaining]).toEqual([false, true, 0]);
      }
      expect((await here.consume('bob')).allowed).toBe(true);
    });

    it('is shown with its reason, and in the list', async () => {
      await here.block('ann', 'forever', { reason: 'scraping', reveal: true });
      const block = { untilMs: 'forever', by: 'admin', strikes: 0, reason: 'scraping' };
      expect((await there.inspect('ann')).block).toEqual(block);
      expect((await there.blocked()).entries).toEqual([{ key: 'ann', ...block }]);
      expect((await there.inspect('bob')).block).toBeUndefined();
    });

    it('is admitted again when the block is lifted, which is said once', async () => {
      await here.consume('ann');
      await here.block('ann', 'forever');
      expect(await here.unblock('ann')).toBe(true);
      expect(await here.unblock('ann')).toBe(false);
      const { allowed, tightest } = await here.consume('ann');
      expect([allowed, tightest.remaining]).toEqual([true, 3]);
      expect((await here.blocked()).entries).toEqual([]);
    });

    it('is no longer blocked after a reset', async () => {
      await here.block('ann', 'forever');
      await here.reset('ann');
      expect((await here.consume('ann')).allowed).toBe(true);
    });

    it('is found and lifted also if its limit set the block', async () => {
      limitersOf(fixedWindow({ limit: 1, window: '1h', blockDuration: '2h' }));
      for (let i = 0; i < 2; i += 1) await here.consume('ann');
      expect((await there.inspect('ann')).block).toMatchObject({ by: 'limit', strikes: 1 });
      expect(await there.unblock('ann')).toBe(true);
      expect((await there.inspect('ann')).block).toBeUndefined();
    });
  });
}
