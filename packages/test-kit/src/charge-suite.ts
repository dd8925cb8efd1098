import '@sluice/core/calendars';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoreClaims } from '@sluice/conformance';
import {
  type Charge,
  type ChargeCorrection,
  chargeOf,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  leakyBucket,
  type PolicyOptions,
  type Reservation,
  replacePolicy,
  type Store,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { itCounting } from './store-claims.js';

type Options = PolicyOptions<[subject: string]>;

/** What two instances of a program share: the object that owns the policies. */
const OWNER = {};

/** Algorithms whose units can be given back. */
const LIMITS: readonly (readonly [what: string, limitOf: (quota: number) => Limit])[] = [
  ['a sliding window', (limit) => slidingWindow({ limit, window: '1h' })],
  ['a sliding window log', (limit) => slidingWindowLog({ limit, window: '1h' })],
  ['a sliding window counter', (limit) => slidingWindowCounter({ limit, window: '1h' })],
  ['a fixed window', (limit) => fixedWindow({ limit, window: '1h' })],
  ['a calendar month', (limit) => fixedWindow({ limit, window: { unit: 'month', timeZone: 'UTC' } })],
  ['a token bucket', (capacity) => tokenBucket({ capacity, refillRate: 0 })],
];

/** Returns the charge as another process gets it. */
export function sent(reservation: Reservation<boolean>): Charge {
  return JSON.parse(JSON.stringify(chargeOf(reservation))) as Charge;
}

/**
 * Tests that a charge can be corrected as data, over any store.
 *
 * @param make - returns the stores of two instances that count in the same empty place; for one process, the same store twice
 * @param claims - which limits the store counts
 */
export function chargeSuite(name: string, make: () => Promise<readonly [Store, Store]>, claims: StoreClaims): void {
  let stores: readonly [Store, Store];

  const pairOf = (own: Partial<Options>): [Limiter, Limiter] =>
    stores.map((store) => createLimiter({ name: 'api', store, ...own } as Options, OWNER)) as [Limiter, Limiter];
  const left = async (limiter: Limiter): Promise<number[]> =>
    (await limiter.peek('ann')).verdicts.map(({ remaining }) => remaining);

  describe(`Over ${name}, a charge as data`, () => {
    beforeEach(async () => {
      stores = await make();
    });

    afterEach(async () => {
      for (const store of stores) await store.close();
    });

    for (const [what, limitOf] of LIMITS) {
      itCounting(claims, limitOf(100))(`is corrected once by another instance, under ${what}`, async () => {
        const [here, there] = pairOf({ limit: limitOf(100) });
        const charge = sent(await here.reserve('ann', { cost: 30 }));
        await here.consume('ann', { cost: 5 });
        const [before = 0] = await left(there);
        expect(await there.correct(charge, { actual: 10 })).toBe('applied');
        expect(await left(there)).toEqual([before + 20]);
        for (const correction of [{ actual: 10 }, { cancel: true }, {}] as const)
          expect(await here.correct(charge, correction)).toBe('repeated');
        expect(await left(there)).toEqual([before + 20]);
      });
    }

    it.each<[string, ChargeCorrection, number]>([
      ['cancelled', { cancel: true }, 100],
      ['kept', {}, 70],
      ['settled at less', { actual: 1 }, 99],
      ['settled at more than the limit', { actual: 120 }, 0],
    ])('can be %s, and then no more', async (_, correction, remaining) => {
      const [here, there] = pairOf({ limit: slidingWindow({ limit: 100, window: '1h' }) });
      const reservation = await here.reserve('ann', { cost: 30 });
      const charge = sent(reservation);
      expect(await there.correct(charge, correction)).toBe('applied');
      expect(await left(there)).toEqual([remaining]);
      await reservation.cancel();
      expect(await there.correct(charge, { cancel: true })).toBe('repeated');
      expect(await left(there)).toEqual([remaining]);
    });

    it('is not corrected again after its reservation was', async () => {
      const [here, there] = pairOf({ limit: slidingWindow({ limit: 100, window: '1h' }) });
      const reservation = await here.reserve('ann', { cost: 30 });
      const charge = sent(reservation);
      await reservation.settle();
      expect(await there.correct(charge, { cancel: true })).toBe('repeated');
      expect(await left(there)).toEqual([70]);
      expect(chargeOf(reservation)).toBeUndefined();
    });

    it('is the same for repeated calls of one operation', async () => {
      const [here, there] = pairOf({ limit: slidingWindow({ limit: 100, window: '1h' }) });
      const spend = { cost: 30, id: 'job 1' };
      const charges = [sent(await here.reserve('ann', spend)), sent(await there.reserve('ann', spend))] as const;
      expect(charges[1]).toEqual(charges[0]);
      expect(await there.correct(charges[0], { actual: 10 })).toBe('applied');
      expect(await here.correct(charges[1], { actual: 10 })).toBe('repeated');
      expect(await left(there)).toEqual([90]);
    });

    it('settles each limit at its own amount', async () => {
      const limit = slidingWindow({ limit: 100, window: '1h' });
      const [here, there] = pairOf({
        limits: [
          { limit, name: 'units' },
          { limit, name: 'calls', cost: 1 },
        ],
      });
      const charge = sent(await here.reserve('ann', { cost: 30 }));
      expect(await there.correct(charge, { actual: { units: 5 } })).toBe('applied');
      expect(await left(there)).toEqual([95, 99]);
      const other = sent(await here.reserve('ann', { cost: 30 }));
      expect(await there.correct(other, { actual: 7 })).toBe('applied');
      expect(await left(there)).toEqual([88, 98]);
    });

    it('is corrected on the limits that were charged, after another policy came into force', async () => {
      const options: Options = {
        name: 'api',
        limits: [
          { limit: slidingWindow({ limit: 100, window: '1h' }), name: 'hour' },
          { limit: slidingWindow({ limit: 500, window: '1d' }), name: 'day' },
        ],
        store: stores[0],
      };
      const before = createLimiter(options, OWNER);
      const charge = sent(await before.reserve('ann', { cost: 30 }));
      replacePolicy(OWNER, { limit: slidingWindow({ limit: 50, window: '1h', name: 'hour' }) } as Options);
      expect(await before.correct(charge, { actual: { hour: 10, day: 20 } })).toBe('applied');
      expect(await left(before)).toEqual([40]);
      replacePolicy(OWNER, { limits: options.limits } as Options);
      expect(await left(before)).toEqual([90, 480]);
    });

    const slots = concurrency({ limit: 2, lease: '30s', name: 'slots' });
    itCounting(claims, slots)('frees its slot once, and units under the same policy with it', async () => {
      const units = slidingWindow({ limit: 100, window: '1h', name: 'units' });
      const [here, there] = pairOf({ limits: [slots, units] });
      const reservation = await here.reserve('ann');
      const charge = sent(reservation);
      expect(await left(there)).toEqual([1, 99]);
      expect(await there.correct(charge, { cancel: true })).toBe('applied');
      expect(await there.correct(charge, { cancel: true })).toBe('repeated');
      await reservation.cancel();
      expect(await left(there)).toEqual([2, 100]);
    });

    const leaky = leakyBucket({ capacity: 10_000, leakRate: 1 });
    itCounting(claims, leaky)('gives nothing back to a leaky bucket', async () => {
      const [here, there] = pairOf({ limit: leaky });
      const charge = sent(await here.reserve('ann', { cost: 9000 }));
      expect(await there.correct(charge, { cancel: true })).toBe('applied');
      expect((await left(there))[0]).toBeLessThan(5000);
    });

    it('does not exist if nothing was charged', async () => {
      const [here] = pairOf({ limit: slidingWindow({ limit: 1, window: '1h' }), skip: (subject) => subject === 'bob' });
      await here.consume('ann');
      expect(chargeOf(await here.reserve('ann'))).toBeUndefined();
      expect(chargeOf(await here.reserve('bob'))).toBeUndefined();
    });
  });
}
