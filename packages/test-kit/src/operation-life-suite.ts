import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Claim, StoreClaims } from '@sluice/conformance';
import {
  type Charge,
  chargeOf,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  type PolicyOptions,
  type Reservation,
  type ReserveSpend,
  type Store,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { itCounting } from './store-claims.js';
import { until } from './until.js';

type Options = PolicyOptions<[subject: string]>;

/** What two instances of a program share: the object that owns the policies. */
const OWNER = {};

/** A bucket of 100 that is full again within two minutes. */
const BUCKET = tokenBucket({ capacity: 100, refillRate: 1 });

const SLOT = concurrency({ limit: 1, lease: '30s' });

/** If keys are on several servers, some of these are on others than a key of everybody. */
const NAMES = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'];

/**
 * Tests what becomes of an operation with an id after its decision, over any store: its slot, its correction, and its end.
 *
 * @param make - returns the stores of two instances that count in the same empty place, by this clock; for one process, the
 * same store twice. A request that takes longer than half a minute of this clock is too late.
 */
export function operationLifeSuite(
  name: string,
  make: (clock: ManualClock) => Promise<readonly [Store, Store]>,
  claims: StoreClaims & { readonly seenAtOnce: Claim },
): void {
  let clock: ManualClock;
  let stores: readonly [Store, Store];

  const pairOf = (own: Partial<Options>): [Limiter, Limiter] =>
    stores.map((store) => createLimiter({ name: 'jobs', store, onStoreError: 'deny', ...own } as Options, OWNER)) as [
      Limiter,
      Limiter,
    ];
  const left = async (limiter: Limiter): Promise<number> => (await limiter.peek('ann')).tightest.remaining;
  /** Moves the clock in steps that are shorter than a lease, and leaves time to renew held slots over a network. */
  const pass = async (seconds: number, limiter: Limiter): Promise<void> => {
    for (let rest = seconds; rest > 0; rest -= 10) {
      clock.advance(Math.min(rest, 10) * 1000);
      for (let trips = 0; trips < 5; trips += 1) {
        await new Promise(setImmediate);
        await left(limiter);
      }
    }
  };

  describe(`Over ${name}, after its decision an operation with an id`, () => {
    beforeEach(async () => {
      clock = new ManualClock();
      stores = await make(clock);
    });

    afterEach(async () => {
      for (const store of stores) await store.close();
    });

    it('does not spoil the time of the server: requests after a repeated call are not too late', async () => {
      const [limiter] = pairOf({ limit: slidingWindow({ limit: 100, window: '1h' }) });
      const first = await limiter.consume('ann', { id: 'order 1', rememberFor: '10m' });
      clock.advance('50s');
      await limiter.consume('bob');
      expect(await limiter.consume('ann', { id: 'order 1', rememberFor: '10m' })).toEqual(first);
      for (const key of ['cid', 'dan', 'eve']) {
        expect(await limiter.consume(key)).toMatchObject({ allowed: true, source: 'store' });
      }
    });

    it('stays what it was when a limit is enforced meanwhile, or not any more', async () => {
      let enforce: 0 | 'mark' | 1 = 1;
      const limits: Options['limits'] = [
        { limit: slidingWindow({ limit: 1, window: '1h' }), name: 'small', enforce: () => enforce },
        { limit: slidingWindow({ limit: 100, window: '1h' }), name: 'large' },
      ];
      const [here, there] = pairOf({ limits });
      const used = async () => (await here.peek('ann')).verdicts[1]?.used;
      const again = async (own: typeof enforce, id: string) => {
        enforce = own;
        return there.reserve('ann', { id, cost: 2 });
      };

      expect(await here.reserve('ann', { id: 'm1', cost: 2 })).toMatchObject({ allowed: false });
      for (const own of [0, 'mark'] as const) {
        const refused = await again(own, 'm1');
        expect([refused.allowed, refused.exceeded]).toEqual([false, undefined]);
        await refused.cancel();
        expect(await used()).toBe(0);
      }
      expect((await again(0, 'm2')).allowed).toBe(true);
      expect([(await again(1, 'm2')).allowed, await used()]).toEqual([true, 2]);
    });

    itCounting(claims, SLOT)(
      'admits nobody above a concurrency limit when it is repeated after its slot was freed',
      async () => {
        const [here, there] = pairOf({ limit: SLOT });
        const first = await here.reserve('ann', { id: 'm1' });
        await first.settle();
        const other = await there.reserve('ann');
        expect(other.allowed).toBe(true);
        expect((await here.reserve('ann', { id: 'm1' })).allowed).toBe(false);
        await other.settle();
      },
    );

    itCounting(claims, SLOT)(
      'takes a slot again when it is repeated after its slot was freed, and frees it',
      async () => {
        const [here, there] = pairOf({ limit: SLOT });
        await (await here.reserve('ann', { id: 'm1' })).cancel();
        const again = await there.reserve('ann', { id: 'm1' });
        expect([again.allowed, await left(here)]).toEqual([true, 0]);
        await again.settle();
        expect(await left(here)).toBe(1);
      },
    );

    itCounting(claims, SLOT)(
      'stays refused by a limit of units when there is room again, whichever server has its slot',
      async () => {
        const own: Options['limits'] = [
          { limit: SLOT, name: 'slot' },
          { limit: fixedWindow({ limit: 1, window: '1h' }), name: 'all', keyGenerator: (name) => `all of ${name}` },
        ];
        const [here, there] = pairOf({ limits: own });
        for (const name of NAMES) {
          await here.charge(name);
          const spend = { id: 'm1', rememberFor: '10m' } as const;
          expect((await here.reserve(name, spend)).allowed).toBe(false);
          await here.refund(name);
          expect((await there.reserve(name, spend)).allowed).toBe(false);
          expect((await there.peek(name)).verdicts.map(({ used }) => used)).toEqual([0, 0]);
        }
      },
    );

    itCounting(claims, SLOT)('is charged anew on all limits when its slot is taken again', async () => {
      const units: Options['limits'] = [
        { limit: slidingWindow({ limit: 100, window: '1h' }), name: 'all', keyGenerator: () => 'everybody' },
        { limit: BUCKET, name: 'own' },
        { limit: SLOT, name: 'slot' },
      ];
      const [here, there] = pairOf({ limits: units });
      const all = async () => (await there.peek('ann')).verdicts.map(({ remaining }) => remaining);
      const first = await here.reserve('ann', { cost: 10, id: 'm1' });
      const repeated = await there.reserve('ann', { cost: 10, id: 'm1' });
      await first.settle(4);
      expect(await all()).toEqual([96, 96, 1]);
      const again = await there.reserve('ann', { cost: 10, id: 'm1' });
      expect(await all()).toEqual([86, 86, 0]);
      await repeated.cancel();
      expect(await all()).toEqual([86, 86, 0]);
      await again.cancel();
      expect(await all()).toEqual([96, 96, 1]);
    });

    itCounting(claims, SLOT)('is charged once, and has one slot, if several calls come at the same time', async () => {
      const units: Options['limits'] = [
        { limit: slidingWindow({ limit: 100, window: '1h' }), name: 'all', keyGenerator: (name) => `all of ${name}` },
        { limit: BUCKET, name: 'own' },
        { limit: concurrency({ limit: 3, lease: '30s' }), name: 'slots', keyGenerator: (name) => `slots of ${name}` },
      ];
      const [here, there] = pairOf({ limits: units });
      for (const name of NAMES) {
        for (const used of [10, 20]) {
          const calls = [here, there, here].map((limiter) => limiter.reserve(name, { cost: 10, id: 'm1' }));
          const [first] = await Promise.all(calls);
          expect((await there.peek(name)).verdicts.map((verdict) => verdict.used)).toEqual([used, used, 1]);
          await (first as Reservation<boolean>).release();
        }
      }
    });

    itCounting(claims, SLOT)('frees its slot once, and never that of somebody else', async () => {
      const [here, there] = pairOf({ limit: SLOT });
      const [first, repeated] = [await here.reserve('ann', { id: 'm1' }), await there.reserve('ann', { id: 'm1' })];
      expect([first.allowed, repeated.allowed]).toEqual([true, true]);
      await first.settle();
      const other = await here.reserve('ann');
      expect(other.allowed).toBe(true);
      await repeated.settle();
      expect(await left(there)).toBe(0);
      await other.settle();
      const later = await there.reserve('ann', { id: 'm1' });
      await repeated.cancel();
      await first.cancel();
      expect([later.allowed, await left(there)]).toEqual([true, 0]);
      await later.settle();
      expect(await left(there)).toBe(1);
    });

    itCounting(claims, SLOT)(
      'holds its slot while a repeated call renews it, and no longer than until the first settlement',
      async () => {
        const [here, there] = pairOf({ limit: SLOT });
        const [first, repeated] = [await here.reserve('ann', { id: 'm1' }), await there.reserve('ann', { id: 'm1' })];
        await pass(90, there);
        expect(await left(here)).toBe(0);
        await first.settle();
        await pass(90, there);
        expect(await left(here)).toBe(1);
        await repeated.settle();
        expect(await left(here)).toBe(1);
      },
    );

    if (claims.seenAtOnce !== true) {
      it.skip(`what another instance sees of it at once: ${claims.seenAtOnce}`, () => {});
      return;
    }

    it.each<'consume' | 'reserve'>(['consume', 'reserve'])(
      'charges no limit when %s is refused again, each time after the refusal before was forgotten',
      async (verb) => {
        const own: Options['limits'] = [
          { limit: fixedWindow({ limit: 100, window: '1h' }), name: 'all', keyGenerator: () => 'everybody' },
          { limit: fixedWindow({ limit: 1, window: '1h' }), name: 'own' },
        ];
        const [here, there] = pairOf({ limits: own });
        for (const name of NAMES) await here.consume(name);
        for (let repeated = 0; repeated < 3; repeated += 1) {
          for (const name of NAMES) {
            expect((await here[verb](name, { id: 'job 1', rememberFor: '5s' })).allowed).toBe(false);
          }
          await pass(10, there);
        }
        expect((await there.peek('gus')).verdicts.map(({ used }) => used)).toEqual([NAMES.length, 0]);
      },
    );

    it.each<[string, (one: Reservation<boolean>) => unknown]>([
      ['cancelled', (one) => one.cancel()],
      ['settled at more', (one) => one.settle(80)],
      ['settled at less', (one) => one.settle(20)],
    ])('is %s once, and two minutes later it is not corrected again', async (_, correct) => {
      const [here, there] = pairOf({ limit: BUCKET });
      const spend: ReserveSpend = { cost: 50, id: 'job 1', rememberFor: '10m' };
      const [first, repeated] = [await here.reserve('ann', spend), await there.reserve('ann', spend)];
      await correct(first);
      clock.advance('2m');
      await here.charge('ann', { cost: 60 });
      const before = await left(there);
      await correct(repeated);
      expect([before <= 40, await left(there)]).toEqual([true, before]);
    });

    it.each<[string, Limit]>([
      ['a token bucket', BUCKET],
      ['a fixed window', fixedWindow({ limit: 100, window: '1m' })],
    ])('is not corrected again as data, five minutes after it was settled, under %s', async (_, limit) => {
      const [here, there] = pairOf({ limit });
      const spend: ReserveSpend = { cost: 50, id: 'job 1', rememberFor: '10m' };
      const [first, repeated] = [await here.reserve('ann', spend), await there.reserve('ann', spend)];
      const charge = chargeOf(repeated) as Charge;
      await first.settle(80);
      clock.advance('5m');
      await here.charge('ann', { cost: 60 });
      const before = await left(there);
      expect(await there.correct(charge, { cancel: true })).toBe('repeated');
      expect(await there.correct(charge, { actual: 80 })).toBe('repeated');
      expect([before <= 40, await left(there)]).toEqual([true, before]);
      clock.advance('1h');
      expect(await there.correct(charge, { cancel: true })).toBe('expired');
    });

    it('is corrected once, also if one of its charges can be corrected for longer than the other', async () => {
      const [here, there] = pairOf({ limit: BUCKET });
      const first = await here.reserve('ann', { cost: 50, id: 'job 1' });
      const repeated = await there.reserve('ann', { cost: 50, id: 'job 1' });
      const [short, long] = [chargeOf(first, { expires: '1m' }), chargeOf(repeated)] as [Charge, Charge];
      expect(await there.correct(short, { cancel: true })).toBe('applied');
      clock.advance('30m');
      await here.charge('ann', { cost: 60 });
      const before = await left(here);
      expect(await there.correct(short, { cancel: true })).toBe('expired');
      expect(await here.correct(long, { cancel: true })).toBe('repeated');
      expect([before <= 40, await left(here)]).toEqual([true, before]);
    });

    it('keeps its units when only a repeated call ends by itself', async () => {
      const [here, there] = pairOf({ limit: slidingWindow({ limit: 50, window: '1h' }) });
      const first = await here.reserve('ann', { cost: 50, id: 'job 1' });
      await there.reserve('ann', { cost: 50, id: 'job 1', expires: '20s', onExpiry: 'giveBack' });
      await pass(30, there);
      expect((await there.consume('ann')).allowed).toBe(false);
      await first.settle(10);
      expect(await left(there)).toBe(40);
    });

    it('ends by itself as its first call says, and is charged again for all that is settled later', async () => {
      const [here, there] = pairOf({ limit: slidingWindow({ limit: 100, window: '1h' }) });
      const spend: ReserveSpend = { cost: 50, id: 'job 1', expires: '20s', onExpiry: 'giveBack' };
      const [first, repeated] = [await here.reserve('ann', spend), await there.reserve('ann', spend)];
      clock.advance('20s');
      await until(async () => (await left(there)) === 100);
      await repeated.settle(80);
      expect(await left(there)).toBe(20);
      await first.settle(80);
      expect(await left(there)).toBe(20);
    });

    it('can be settled once after it has ended by itself, also if somebody has cancelled it meanwhile', async () => {
      const [here, there] = pairOf({ limit: slidingWindow({ limit: 100, window: '1h' }) });
      const spend = { cost: 30, expires: '20s', onExpiry: 'giveBack' } as const;
      const cancels: ((one: Reservation<boolean>) => unknown)[] = [
        (one) => one.cancel(),
        (one) => there.correct(chargeOf(one) as Charge, { cancel: true }),
      ];
      for (const [i, cancel] of cancels.entries()) {
        const [first, repeated] = [
          await here.reserve('ann', { ...spend, id: `job ${i}` }),
          await there.reserve('ann', { ...spend, id: `job ${i}` }),
        ];
        const charge = chargeOf(repeated) as Charge;
        clock.advance('20s');
        await until(async () => (await left(there)) === 100 - 10 * i);
        await cancel(repeated);
        expect(await there.correct(charge, { actual: 10 })).toBe('applied');
        await first.settle(20);
        expect(await left(there)).toBe(90 - 10 * i);
      }
    });

    it('is charged again as data after it has ended by itself, and gives nothing back then', async () => {
      const [here, there] = pairOf({ limit: slidingWindow({ limit: 100, window: '1h' }) });
      const charges = [];
      for (const id of ['job 1', 'job 2']) {
        const reservation = await here.reserve('ann', { cost: 30, id, expires: '20s', onExpiry: 'giveBack' });
        charges.push(chargeOf(reservation) as Charge);
      }
      clock.advance('20s');
      await until(async () => (await left(there)) === 100);
      const [one, other] = charges as [Charge, Charge];
      expect(await there.correct(one, { cancel: true })).toBe('repeated');
      expect(await there.correct(other, { actual: 45 })).toBe('applied');
      expect(await there.correct(other, { actual: 45 })).toBe('repeated');
      expect(await left(there)).toBe(55);
    });
  });
}
