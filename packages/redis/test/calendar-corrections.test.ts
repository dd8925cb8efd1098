import '@sluice/core/calendars';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type Limiter, subscribe } from '@sluice/core';
import type { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { withMovableClock } from '@sluice/test-kit/redis/with-movable-clock';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

const DAY_MS = 86_400_000;

let clock: MovableClock;
let client: Redis;

withMovableClock((...given) => {
  [client, clock] = given;
});

describe.each([10 * DAY_MS, -10 * DAY_MS])(
  'Corrections of a calendar day by a Redis that is ahead by %d ms',
  (aheadMs) => {
    let store: RedisStore;
    let limiter: Limiter<string, true>;
    const failures: unknown[] = [];
    let stop: () => void;

    beforeEach(async () => {
      // At noon, so that no midnight comes between the steps.
      clock.standAt(Math.floor((Date.now() + aheadMs) / DAY_MS) * DAY_MS + DAY_MS / 2);
      await client.flushall();
      store = new RedisStore({ client, timeout: '30s' });
      limiter = createLimiter({ limit: fixedWindow({ limit: 100, window: { unit: 'day', timeZone: 'UTC' } }), store });
      stop = subscribe('sluice:store-error', ({ error }) => failures.push(error));
    });

    afterEach(async () => {
      stop();
      await store.close();
      expect(failures).toEqual([]);
    });

    const left = async (): Promise<number> => (await limiter.peek('ann')).tightest.remaining;

    it.each<[how: string, correct: () => Promise<unknown>, remaining: number]>([
      ['settle(n) gives back', async () => (await limiter.reserve('ann', { cost: 30 })).settle(10), 90],
      ['settle(n) charges', async () => (await limiter.reserve('ann', { cost: 30 })).settle(50), 50],
      ['cancel()', async () => (await limiter.reserve('ann', { cost: 30 })).cancel(), 100],
      ['charge()', () => limiter.charge('ann', { cost: 20 }), 80],
    ])('are made by %s', async (_, correct, remaining) => {
      await correct();
      expect(await left()).toBe(remaining);
    });

    it('are made by refund()', async () => {
      await limiter.consume('ann', { cost: 40 });
      await limiter.refund('ann', { cost: 15 });
      expect(await left()).toBe(75);
    });
  },
);
