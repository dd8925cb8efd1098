import { beforeEach, describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, MemoryStore, type Reservation, slidingWindow } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { manualStore, settled, sleepsOf } from '@sluice/test-kit/manual-store';
import type { ManualClock } from '../../src/testing/manual-clock.js';

const slots = (limit: number) => concurrency({ limit, lease: '30s' });

describe('A limit of concurrency', () => {
  let clock: ManualClock;
  let store: MemoryStore;

  beforeEach(() => {
    ({ clock, store } = manualStore());
  });

  /** Takes a slot from the store itself, so that no holder renews its lease, as after a crash. */
  function takeAndDie(limit: number): void {
    const check = { policy: 'default', name: 'concurrency', key: 'ann', limit: slots(limit), cost: 1 };
    expect(store.consume({ checks: [check], id: 'a holder that died' }).allowed).toBe(true);
  }

  it.each([
    ['alone', () => createLimiter({ limit: slots(1) })],
    ['among others', () => createLimiter({ limits: [{ limit: 9, window: '1m' }, slots(1)] })],
    ['as a shadow', () => createLimiter({ limit: slots(1), enforce: 0 })],
    ['as a tier', () => createLimiter({ limit: () => slots(1) })],
  ])('refuses consume, which could not release the slot: %s', (_, make) => {
    const limiter = make();
    expect(() => limiter.consume('ann')).toThrow(expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }));
    expect(limiter.peek('ann').verdicts.map(({ remaining }) => remaining)).toEqual(
      limiter.peek('ann').verdicts.map(({ limit }) => limit.quota),
    );
  });

  it('rejects consume over an asynchronous store', async () => {
    const limiter = createLimiter({ limit: slots(1), store: new AsyncStore(clock) });
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
  });

  it('holds a slot from reserve to settle, and from reserve to cancel', () => {
    const limiter = createLimiter({ limit: slots(2), store });
    const first = limiter.reserve('ann');
    const second = limiter.reserve('ann');
    expect([first, second, limiter.reserve('ann')]).toMatchObject([
      { allowed: true, tightest: { remaining: 1 } },
      { allowed: true, tightest: { remaining: 0 } },
      { allowed: false, retryAfterMs: 30_000 },
    ]);
    first.settle();
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
    second.cancel();
    expect(limiter.peek('ann').tightest.remaining).toBe(2);
  });

  it('is freed exactly once', () => {
    const limiter = createLimiter({ limit: slots(2), store });
    const first = limiter.reserve('ann');
    const second = limiter.reserve('ann');
    first.settle();
    first.cancel();
    first.settle();
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
    second.cancel();
    second.cancel();
    expect(limiter.peek('ann').tightest.remaining).toBe(2);
  });

  it('takes one slot whatever a request costs, and does not inherit a cost', () => {
    const limiter = createLimiter({ cost: 5, limits: [slots(3), { limit: 100, window: '1m' }], store });
    const reservation = limiter.reserve('ann', { cost: 50 });
    expect(reservation.verdicts).toMatchObject([{ remaining: 2 }, { remaining: 50 }]);
    reservation.settle(7);
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 3 }, { remaining: 93 }]);
  });

  it('gives its slot back if settled by name, while other charges stay', () => {
    const limiter = createLimiter({ limits: [slots(3), { limit: 100, window: '1m' }], store });
    limiter.reserve('ann').settle({ concurrency: 1 });
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 3 }, { remaining: 99 }]);
  });

  it('takes no slot when another limit refuses', () => {
    const limiter = createLimiter({ limits: [slots(3), { limit: 0, window: '1m' }], store });
    expect(limiter.reserve('ann')).toMatchObject({ allowed: false, verdicts: [{ remaining: 3 }, { remaining: 0 }] });
  });

  it('keeps a slot past its lease while the holder lives, renewing at a third of it', async () => {
    const limiter = createLimiter({ limit: slots(1), store });
    const reservation = limiter.reserve('ann');
    for (let i = 0; i < 12; i += 1) {
      await clock.untilSleeping(1);
      clock.advance('10s');
      await settled();
      expect(limiter.peek('ann')).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
    }
    reservation.settle();
    expect(limiter.peek('ann').allowed).toBe(true);
  });

  it('sleeps once for all slots of a store, and not at all when none is held', () => {
    const first = createLimiter({ name: 'first', limit: slots(5), store });
    const second = createLimiter({ name: 'second', limit: concurrency({ limit: 5, lease: '9s' }), store });
    const sleeping = sleepsOf(clock);
    const held = [first.reserve('ann'), first.reserve('bob'), second.reserve('ann'), second.reserve('bob')];
    expect(sleeping()).toEqual([3000]);
    for (const reservation of held) reservation.settle();
    expect(sleeping()).toEqual([]);
  });

  it('sleeps again if a later slot has a shorter lease', async () => {
    createLimiter({ name: 'first', limit: slots(5), store }).reserve('ann');
    const short = createLimiter({ name: 'second', limit: concurrency({ limit: 5, lease: '9s' }), store });
    short.reserve('ann');
    clock.advance('3s');
    await settled();
    clock.advance('8s');
    expect(short.peek('ann').tightest.remaining).toBe(4);
  });

  it('frees the slot of a crashed holder after its lease', () => {
    const limiter = createLimiter({ limit: slots(1), store });
    takeAndDie(1);
    clock.advance(29_999);
    expect(limiter.reserve('ann')).toMatchObject({ allowed: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(limiter.reserve('ann').allowed).toBe(true);
  });

  it('stops renewing when its store is closed', async () => {
    const sleeping = sleepsOf(clock);
    createLimiter({ limit: slots(1), store }).reserve('ann');
    expect(sleeping()).not.toEqual([]);
    store.close();
    await settled();
    expect(sleeping()).toEqual([]);
  });

  it.each([
    ['was a year ahead when the slot was taken', 365 * 86_400_000, 0],
    ['is set back', 0, -3_600_000],
  ])('keeps renewing if the clock %s', async (_, firstMs, thenMs) => {
    let wrongMs = firstMs;
    const wrong = { now: () => clock.now() + wrongMs, sleep: clock.sleep.bind(clock) };
    const limiter = createLimiter({ limit: slots(1), store: new MemoryStore({ clock: wrong }) });
    const reservation = limiter.reserve('ann');
    wrongMs = thenMs;
    for (let i = 0; i < 12; i += 1) {
      await clock.untilSleeping(1);
      clock.advance('10s');
      await settled();
      // A refused request writes the repaired state.
      expect(limiter.reserve('ann').allowed).toBe(false);
    }
    reservation.settle();
    expect(limiter.peek('ann').allowed).toBe(true);
  });

  it('keeps renewing after the clock was wrong, and forgets no slot', async () => {
    const limiter = createLimiter({ limit: slots(1), store });
    const reservation = limiter.reserve('ann');
    clock.set(clock.now() - 3_600_000);
    await settled();
    expect(limiter.peek('ann').allowed).toBe(false);
    reservation.settle();
    expect(limiter.peek('ann').allowed).toBe(true);
  });

  it('holds slots of several limits under one reservation, and frees them together', () => {
    const limiter = createLimiter({
      limits: [
        { name: 'own', limit: slots(2) },
        { name: 'all', limit: slots(3), keyGenerator: () => 'everyone' },
      ],
      store,
    });
    const reservation = limiter.reserve('ann');
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 1 }, { remaining: 2 }]);
    reservation.settle();
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 2 }, { remaining: 3 }]);
  });

  it('gives back the units beside the slot with cancel, and keeps them with settle', () => {
    const limiter = createLimiter({ limits: [slots(2), slidingWindow({ limit: 5, window: '1m' })], store });
    limiter.reserve('ann').cancel();
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 2 }, { remaining: 5 }]);
    limiter.reserve('ann').settle();
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 2 }, { remaining: 4 }]);
  });

  describe('that is released', () => {
    const both = () =>
      createLimiter({
        limits: [slots(2), { name: 'units', limit: 10_000, window: '1h', cost: 4000 }],
        store,
      });
    const remaining = (limiter: ReturnType<typeof both>): number[] =>
      limiter.peek('ann').verdicts.map((verdict) => verdict.remaining);

    it.each<[verb: string, settle: (reservation: Reservation<false>) => void, units: number]>([
      ['settled', (reservation) => reservation.settle({ units: 10 }), 9990],
      ['cancelled', (reservation) => reservation.cancel(), 10_000],
      ['released again', (reservation) => reservation.release(), 6000],
    ])('leaves its units to be %s later', (_, settle, units) => {
      const limiter = both();
      const reservation = limiter.reserve('ann');
      expect(remaining(limiter)).toEqual([1, 6000]);
      reservation.release();
      expect(remaining(limiter)).toEqual([2, 6000]);
      settle(reservation);
      expect(remaining(limiter)).toEqual([2, units]);
      reservation.settle({ units: 1 });
      expect(remaining(limiter)[0]).toBe(2);
    });

    it('frees no other slot of the same key, and is not renewed any more', async () => {
      const limiter = both();
      const sleeping = sleepsOf(clock);
      const [first, second] = [limiter.reserve('ann'), limiter.reserve('ann', { cost: 0 })];
      first.release();
      first.release();
      expect(remaining(limiter)[0]).toBe(1);
      second.release();
      expect(sleeping()).toEqual([]);
    });

    it('is freed after it was settled, and does nothing without a slot', () => {
      const limiter = createLimiter({ limit: 10, window: '1m', store });
      const reservation = limiter.reserve('ann', { cost: 5 });
      reservation.release();
      expect(limiter.peek('ann').tightest.remaining).toBe(5);
      reservation.settle(2);
      expect(limiter.peek('ann').tightest.remaining).toBe(8);
    });

    it('is also freed over an asynchronous store', async () => {
      const limiter = createLimiter({ limits: [slots(1), { limit: 9, window: '1m' }], store: new AsyncStore(clock) });
      const reservation = await limiter.reserve('ann');
      await reservation.release();
      expect((await limiter.peek('ann')).verdicts).toMatchObject([{ remaining: 1 }, { remaining: 8 }]);
      await reservation.cancel();
      expect((await limiter.peek('ann')).verdicts).toMatchObject([{ remaining: 1 }, { remaining: 9 }]);
    });
  });

  it('also renews and frees over an asynchronous store', async () => {
    const limiter = createLimiter({ limit: slots(1), store: new AsyncStore(clock) });
    const reservation = await limiter.reserve('ann');
    for (let i = 0; i < 6; i += 1) {
      await clock.untilSleeping(1);
      clock.advance('10s');
      await settled();
    }
    expect((await limiter.peek('ann')).allowed).toBe(false);
    await reservation.settle();
    expect((await limiter.peek('ann')).allowed).toBe(true);
  });
});
