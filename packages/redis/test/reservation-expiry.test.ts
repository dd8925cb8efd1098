import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, type Limiter, slidingWindow } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

describe('A reservation that expires, over Redis', () => {
  let clock: ManualClock;
  let store: RedisStore;
  let limiter: Limiter<string, true>;

  function open(): void {
    store = new RedisStore({ client, clock, timeout: '30s' });
    limiter = createLimiter({
      name: 'jobs',
      limits: [slidingWindow({ limit: 100, window: '1h' }), concurrency({ limit: 1, lease: '5m' })],
      store,
    });
  }

  beforeEach(async () => {
    await client.flushall();
    clock = new ManualClock();
    open();
  });

  afterEach(() => store.close());

  const left = async (): Promise<number[]> => (await limiter.peek('ann')).verdicts.map(({ remaining }) => remaining);

  /** Looks until it is so: what happens in the background takes a trip to Redis. */
  async function untilLeft(...expected: number[]): Promise<void> {
    for (let tries = 0; tries < 1000; tries += 1) {
      if (String(await left()) === String(expected)) return;
    }
    expect(await left()).toEqual(expected);
  }

  it('gives its units and its slot back when its time is over, and charges a later settlement again', async () => {
    const reservation = await limiter.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    clock.advance(59_999);
    expect(await left()).toEqual([70, 0]);
    clock.advance(1);
    await untilLeft(100, 1);
    const next = await limiter.reserve('ann');
    await reservation.settle(45);
    expect(await left()).toEqual([54, 0]);
    await reservation.settle(1);
    await next.cancel();
    expect(await left()).toEqual([55, 1]);
  });

  it('keeps its charge and frees its slot by default, and a later settlement corrects it', async () => {
    const reservation = await limiter.reserve('ann', { cost: 30, expires: '1m' });
    clock.advance('1m');
    await untilLeft(70, 1);
    await reservation.settle(10);
    expect(await left()).toEqual([90, 1]);
  });

  it('frees its slot for good if the process stood still until its lease and its time were over', async () => {
    await limiter.reserve('ann', { cost: 30, expires: '15m' });
    // The server's time is unknown after so long, so the renewal asks for it first, and its slot is freed meanwhile.
    clock.advance('15m');
    await untilLeft(70, 1);
    await client.ping();
    expect(await left()).toEqual([70, 1]);
  });

  it('keeps its charge if its store is closed before', async () => {
    await limiter.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    await store.close();
    clock.advance('1m');
    open();
    expect(await left()).toEqual([70, 0]);
  });
});
