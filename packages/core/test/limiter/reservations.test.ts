import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, leakyBucket, SluiceError, slidingWindow, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { manualStore, settled } from '@sluice/test-kit/manual-store';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';

const hundred = { limit: 100, window: '1m' } as const;

/** The limit of requests has a cost of its own, 1. The request says how many units it costs. */
function requestsAndUnits() {
  const limiter = createLimiter({
    cost: 10,
    limits: [
      { ...hundred, name: 'requests', cost: 1 },
      { ...hundred, name: 'units' },
      { limit: tokenBucket({ capacity: 100, refillRate: 0 }), name: 'budget' },
    ],
    store: manualStore().store,
  });
  const remaining = (): number[] => limiter.peek('ann').verdicts.map((verdict) => verdict.remaining);
  return { limiter, remaining };
}

describe('A reservation', () => {
  it('is the decision, and spends as consume does', () => {
    const { limiter, remaining } = requestsAndUnits();
    expect(limiter.reserve('ann')).toMatchObject({
      policy: 'default',
      allowed: true,
      retryAfterMs: 0,
      delayMs: 0,
      shadowed: false,
      source: 'store',
      tightest: { name: 'budget', remaining: 90, resetAfterMs: 'never' },
    });
    expect(remaining()).toEqual([99, 90, 90]);
  });

  it.each<[how: string, actual: number | Record<string, number> | undefined, after: number[]]>([
    ['without an amount: all as charged', undefined, [99, 90, 90]],
    ['with less, giving the rest back', 4, [99, 96, 96]],
    ['with more, charging the rest', 60, [99, 40, 40]],
    ['with 0, on what has no cost of its own', 0, [99, 100, 100]],
    ['with more than there is, which is debt', 150, [99, 0, 0]],
    ['by name, what is left out staying as charged', { units: 30 }, [99, 70, 90]],
    ['by name, also where the cost is its own', { requests: 5, budget: 0 }, [95, 90, 100]],
    ['with no name at all', {}, [99, 90, 90]],
  ])('settles %s', (_, actual, after) => {
    const { limiter, remaining } = requestsAndUnits();
    limiter.reserve('ann').settle(actual);
    expect(remaining()).toEqual(after);
  });

  it.each(['3d', '-3d'] as const)('gives back to a calendar day with a clock that is %s off', async (off) => {
    const [mine, theirs] = [new ManualClock(), new ManualClock()];
    (off === '3d' ? mine : theirs).advance('3d');
    const limit = fixedWindow({ limit: 9, window: { unit: 'day', timeZone: 'UTC' } });
    const limiter = createLimiter({ limit, store: new AsyncStore(mine, theirs) });
    const reservation = await limiter.reserve('ann', { cost: 5 });
    expect(reservation.verdicts[0]?.used).toBe(5);
    await reservation.settle(2);
    expect((await limiter.peek('ann')).verdicts[0]?.used).toBe(2);
  });

  it('records debt, which a refund pays first', () => {
    const { limiter, remaining } = requestsAndUnits();
    limiter.reserve('ann').settle(150);
    limiter.refund('ann', { cost: 40 });
    expect(remaining()).toEqual([100, 0, 0]);
    limiter.refund('ann', { cost: 40 });
    expect(remaining()).toEqual([100, 30, 30]);
  });

  it('gives everything back on cancel, also own costs', () => {
    const { limiter, remaining } = requestsAndUnits();
    limiter.reserve('ann').cancel();
    expect(remaining()).toEqual([100, 100, 100]);
  });

  it.each(['settle', 'cancel', 'release'] as const)('has been corrected when a later %s ends', async (later) => {
    const store = new RemoteMemory(new ManualClock());
    const limiter = createLimiter<string, true>({ ...hundred, store });
    const reservation = await limiter.reserve('ann', { cost: 3 });
    const thaw = store.freeze();
    const ended: string[] = [];
    const calls = [
      reservation.settle(1).then(() => ended.push('the correction')),
      reservation[later]().then(() => ended.push('a later call')),
    ];
    await settled();
    expect(ended).toEqual([]);
    thaw();
    await Promise.all(calls);
    expect(ended).toEqual(['the correction', 'a later call']);
    expect((await limiter.peek('ann')).tightest.used).toBe(1);
    await store.close();
  });

  it('ends a later call although the correction has failed', async () => {
    const store = new AsyncStore();
    const limiter = createLimiter<string, true>({ ...hundred, store });
    const reservation = await limiter.reserve('ann');
    store.adjust = () => Promise.reject(new SluiceError('SLUICE_CLOSED', 'the store was closed'));
    const correction = reservation.settle(3);
    await expect(reservation.cancel()).resolves.toBeUndefined();
    await expect(correction).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('is corrected once: later calls do nothing', () => {
    const { limiter, remaining } = requestsAndUnits();
    const settledFirst = limiter.reserve('ann');
    settledFirst.settle(20);
    settledFirst.settle(50);
    settledFirst.cancel();
    expect(remaining()).toEqual([99, 80, 80]);
    const cancelledFirst = limiter.reserve('ann');
    cancelledFirst.cancel();
    cancelledFirst.cancel();
    cancelledFirst.settle(50);
    expect(remaining()).toEqual([99, 80, 80]);
    const asCharged = limiter.reserve('ann');
    asCharged.settle();
    asCharged.cancel();
    expect(remaining()).toEqual([98, 70, 70]);
  });

  it('changes nothing for an unknown name, and can still be settled', () => {
    const { limiter, remaining } = requestsAndUnits();
    const reservation = limiter.reserve('ann');
    const unknown = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'settle.token', received: 5 });
    expect(() => reservation.settle({ units: 50, token: 5 })).toThrow(unknown);
    expect(() => reservation.settle({ token: 5 })).toThrow(/requests, units, budget/);
    expect(remaining()).toEqual([99, 90, 90]);
    reservation.settle({ units: 50 });
    expect(remaining()).toEqual([99, 50, 90]);
  });

  it.each([[[]], [new Map([['units', 50]])]])('changes nothing for %p, which is no record', (amounts) => {
    const { limiter, remaining } = requestsAndUnits();
    const reservation = limiter.reserve('ann');
    const wrong = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'settle' });
    expect(() => reservation.settle(amounts as never)).toThrow(wrong);
    expect(remaining()).toEqual([99, 90, 90]);
    reservation.settle({ units: 50 });
    expect(remaining()).toEqual([99, 50, 90]);
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53, '5' as unknown as number, null as unknown as number])(
    'changes nothing for an amount of %p, and can still be settled',
    (amount) => {
      const { limiter, remaining } = requestsAndUnits();
      const reservation = limiter.reserve('ann');
      const bad = expect.objectContaining({ code: 'SLUICE_COST', received: amount });
      expect(() => reservation.settle(amount)).toThrow(bad);
      expect(() => reservation.settle({ units: 50, budget: amount })).toThrow(bad);
      expect(remaining()).toEqual([99, 90, 90]);
      reservation.settle(50);
      expect(remaining()).toEqual([99, 50, 50]);
    },
  );

  it('that was refused has nothing to correct', () => {
    const { limiter, remaining } = requestsAndUnits();
    limiter.charge('ann', { cost: 95 });
    for (const verb of ['settle', 'cancel'] as const) {
      const refused = limiter.reserve('ann');
      expect(refused.allowed).toBe(false);
      refused[verb]();
      if (verb === 'settle') refused.settle(50);
      expect(remaining()).toEqual([99, 5, 5]);
    }
  });

  it('of cost 0 can still be settled with the real cost', () => {
    const { limiter, remaining } = requestsAndUnits();
    limiter.reserve('ann', { cost: 0 }).settle(30);
    expect(remaining()).toEqual([99, 70, 70]);
  });

  it('gives back to the time of its charge, not to the newest', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: 10, window: '1m', store });
    const early = limiter.reserve('ann', { cost: 5 });
    clock.advance('30s');
    limiter.consume('ann', { cost: 5 });
    early.cancel();
    expect(limiter.peek('ann').tightest.remaining).toBe(5);
    clock.advance('30s');
    expect(limiter.peek('ann').tightest.remaining).toBe(5);
  });

  it('has nothing to give back when its window is over', () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: 10, window: '1m', store });
    const reservation = limiter.reserve('ann', { cost: 5 });
    clock.advance('1m');
    limiter.consume('ann', { cost: 5 });
    reservation.cancel();
    expect(limiter.peek('ann').tightest.remaining).toBe(5);
  });

  it('keeps its place in a leaky bucket, even if it is cancelled', () => {
    const limiter = createLimiter({ limit: leakyBucket({ capacity: 2, leakRate: 1 }), store: manualStore().store });
    limiter.reserve('ann').cancel();
    expect(limiter.reserve('ann')).toMatchObject({ allowed: true, delayMs: 1000, tightest: { remaining: 0 } });
  });

  it.each(['settle', 'cancel'] as const)('returns promises from %s over an asynchronous store', async (verb) => {
    const limiter = createLimiter({ ...hundred, store: new AsyncStore() });
    const reservation = await limiter.reserve('ann');
    const refused = await limiter.reserve('ann', { cost: 101 });
    for (const answer of [reservation[verb](), reservation[verb](), refused[verb]()]) {
      expect(answer).toBeInstanceOf(Promise);
      await expect(answer).resolves.toBeUndefined();
    }
  });

  it('returns promises over an asynchronous store even if the request was skipped', async () => {
    const limiter = createLimiter({ ...hundred, store: new AsyncStore(), skip: () => true });
    const reservation = await limiter.reserve('ann');
    expect(reservation.settle()).toBeInstanceOf(Promise);
    expect(reservation.cancel()).toBeInstanceOf(Promise);
  });

  it('rejects for mistakes over an asynchronous store, and can still be settled', async () => {
    const limiter = createLimiter({ limit: slidingWindow(hundred), store: new AsyncStore() });
    const reservation = await limiter.reserve('ann', { cost: 10 });
    await expect(reservation.settle(-1)).rejects.toMatchObject({ code: 'SLUICE_COST' });
    await expect(reservation.settle({ other: 1 })).rejects.toMatchObject({ code: 'SLUICE_OPTION' });
    await reservation.settle(30);
    expect((await limiter.peek('ann')).tightest.remaining).toBe(70);
  });

  it('refuse a number if every limit has its own cost', () => {
    const { store } = manualStore();
    const own = { name: 'units', limit: tokenBucket({ capacity: 100, refillRate: 0 }), cost: 50 };
    const limiter = createLimiter({ limits: [own], store });
    const reservation = limiter.reserve('ann');
    expect(() => reservation.settle(10)).toThrow('{ units: amount }');
    reservation.settle({ units: 10 });
    expect(limiter.peek('ann').tightest.remaining).toBe(90);
  });
});
