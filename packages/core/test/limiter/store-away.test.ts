import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Charge,
  chargeOf,
  concurrency,
  createLimiter,
  createLine,
  fixedWindow,
  type Limit,
  type Limiter,
  type PolicyOptions,
  replacePolicy,
  type Store,
  slidingWindow,
} from '@sluice/core';
import { settled, sleepsOf } from '@sluice/test-kit/manual-store';
import { keyspacesOf } from '../../src/stores/keyspace.js';
import { type Failing, FragileStore } from './fragile-store.js';

const AWAY = new Error('connection lost');

const later = async (): Promise<void> => {
  for (let i = 0; i < 5; i += 1) await settled();
};

const HOW: readonly (readonly [failing: Failing, instances: number])[] = [
  ['by throwing', 1],
  ['by throwing', 2],
  ['by rejecting', 1],
  ['by rejecting', 2],
];

describe.each(HOW)('While a store fails %s that %i instances share', (failing, instances) => {
  let store: FragileStore;

  beforeEach(() => {
    store = new FragileStore(failing, instances);
    store.failure = AWAY;
  });

  afterEach(async () => {
    store.failure = undefined;
    await store.close();
  });

  const optionsOf = (limit: Limit): PolicyOptions<[string]> => ({ name: 'api', limit, store });
  const usedOf = async (limiter: Limiter): Promise<number> => (await limiter.peek('ann')).tightest.used;
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i += 1) {
      store.clock.advance('1s');
      await later();
    }
  };

  describe('a policy that is replaced', () => {
    const short = fixedWindow({ limit: 100, window: '1s' });
    const long = fixedWindow({ limit: 100, window: '1h' });

    it.each<[what: string, correct: (limiter: Limiter, charge: Charge | undefined) => unknown]>([
      ['a reservation', () => undefined],
      ['data', (limiter, charge) => limiter.correct(charge as Charge, { actual: 5 })],
    ])('corrects what was charged before by its new limits: as %s', async (what, correct) => {
      const options = optionsOf(short);
      const limiter = createLimiter(options);
      const reservation = await limiter.reserve('ann');
      const charge = what === 'data' ? chargeOf(reservation) : undefined;
      replacePolicy(options, { limit: long });
      await limiter.consume('ann', { cost: 10 });
      store.clock.advance('2s');
      if (charge) await correct(limiter, charge);
      else await reservation.settle(5);
      expect(await usedOf(limiter)).toBe(15);
    });

    it('holds slots by its new limits', async () => {
      const options = optionsOf(concurrency({ limit: 4, lease: '3s' }));
      const limiter = createLimiter(options);
      const before = await limiter.reserve('ann');
      replacePolicy(options, { limit: concurrency({ limit: 4, lease: '30m' }) });
      const after = await limiter.reserve('ann');
      await pass(20);
      expect(await usedOf(limiter)).toBe(2);
      for (const one of [before, after]) await one.release();
      expect(await usedOf(limiter)).toBe(0);
    });
  });

  it('ends with it: slots that nobody has freed are renewed no more, and nothing sleeps', async () => {
    const sleeps = sleepsOf(store.clock);
    const limiter = createLimiter(optionsOf(concurrency({ limit: 4, lease: '3s' })));
    await limiter.reserve('ann');
    await limiter.reserve('ann', { expires: '1h' });
    await pass(2);
    expect(sleeps()).not.toEqual([]);
    keyspacesOf(store as Store)[0]?.close();
    await later();
    expect(sleeps()).toEqual([]);
  });

  describe('a line', () => {
    it('runs the next work as soon as a slot is freed', async () => {
      const line = createLine({ limiter: createLimiter(optionsOf(concurrency({ limit: 1, lease: '1m' }))) });
      const ends: (() => void)[] = [];
      const runs = [1, 2].map(() => line.run('ann', () => new Promise<void>((end) => ends.push(end))));
      await later();
      expect(ends).toHaveLength(1);
      ends[0]?.();
      await later();
      expect(ends).toHaveLength(2);
      ends[1]?.();
      await Promise.all(runs);
    });

    it('asks the store again within a second after it has come back, and refuses nobody by what it was told before', async () => {
      const limiter = createLimiter(optionsOf(slidingWindow({ limit: 2 * instances, window: '1h' })));
      for (let i = 0; i < 2; i += 1) expect((await limiter.wait('ann')).source).toBe('local');
      const waiting = limiter.wait('ann');
      await later();
      store.failure = undefined;
      const newcomer = limiter.wait('ann', { maxWait: '10s' });
      await later();
      store.clock.advance('1s');
      expect(await waiting).toMatchObject({ allowed: true, source: 'store' });
      expect(await newcomer).toMatchObject({ allowed: true, source: 'store' });
    });
  });
});
