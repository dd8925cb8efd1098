import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limiter,
  leakyBucket,
  MemoryStore,
  type ReserveSpend,
  type Store,
  subscribe,
  tokenBucket,
} from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { settled, sleepsOf } from '@sluice/test-kit/manual-store';
import { ManualClock } from '../../src/testing/manual-clock.js';
import { FragileStore } from './fragile-store.js';

const hundred = { limit: 100, window: '1h' } as const;

let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock();
});

const STORES: Readonly<Record<string, () => Store>> = {
  'answers at once': () => new MemoryStore({ clock }),
  'answers by promises': () => new AsyncStore(clock),
};

describe.each(Object.keys(STORES))('A reservation that expires, over a store that %s', (kind) => {
  let store: Store;
  let limiter: Limiter;

  beforeEach(() => {
    store = (STORES[kind] as () => Store)();
    limiter = createLimiter({ ...hundred, store });
  });

  afterEach(() => store.close());

  const left = async (subject = 'ann'): Promise<number> => (await limiter.peek(subject)).tightest.remaining;

  /** Lets time pass, and lets everything run that is due then. */
  async function pass(by: number | '1m'): Promise<void> {
    clock.advance(by);
    await settled();
    await settled();
  }

  it('gives its units back when its time is over, and not a millisecond earlier', async () => {
    await limiter.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    await pass(59_999);
    expect(await left()).toBe(70);
    await pass(1);
    expect(await left()).toBe(100);
  });

  it.each<[string, ReserveSpend]>([
    ['by default', { expires: '1m' }],
    ["with 'keep'", { expires: '1m', onExpiry: 'keep' }],
  ])('keeps its charge %s', async (_, options) => {
    await limiter.reserve('ann', { cost: 30, ...options });
    await pass('1m');
    expect(await left()).toBe(70);
  });

  it.each<[how: string, correct: 'settle' | 'cancel', actual: number | undefined, kept: number, givenBack: number]>([
    ['settle(n) below the estimate', 'settle', 10, 90, 90],
    ['settle(n) above it', 'settle', 50, 50, 50],
    ['settle(n) above the limit, which is debt', 'settle', 120, 0, 0],
    ['settle(0)', 'settle', 0, 100, 100],
    ['settle()', 'settle', undefined, 70, 70],
    ['cancel()', 'cancel', undefined, 100, 100],
  ])('ends the same way with a late %s as with a timely one', async (_, correct, actual, kept, givenBack) => {
    const remaining: number[] = [];
    for (const onExpiry of ['keep', 'giveBack'] as const) {
      const reservation = await limiter.reserve(onExpiry, { cost: 30, expires: '1m', onExpiry });
      await pass('1m');
      expect(await left(onExpiry)).toBe(onExpiry === 'keep' ? 70 : 100);
      await reservation[correct](actual);
      await reservation[correct](77);
      await reservation.cancel();
      remaining.push(await left(onExpiry));
    }
    expect(remaining).toEqual([kept, givenBack]);
  });

  it('does nothing if it was settled or cancelled in time', async () => {
    const options = { cost: 30, expires: '1m', onExpiry: 'giveBack' } as const;
    await (await limiter.reserve('ann', options)).settle(40);
    await (await limiter.reserve('bob', options)).cancel();
    await limiter.consume('bob', { cost: 5 });
    await pass('1m');
    expect([await left('ann'), await left('bob')]).toEqual([60, 95]);
  });

  it('charges again in the window in which it is settled', async () => {
    const windows = createLimiter({ name: 'windows', limit: fixedWindow({ limit: 100, window: '2m' }), store });
    const reservation = await windows.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    await pass('1m');
    await pass('1m');
    await windows.consume('ann', { cost: 1 });
    await reservation.settle(20);
    expect((await windows.peek('ann')).tightest.remaining).toBe(79);
  });

  it('of several limits charges the given cost of each again', async () => {
    const several = createLimiter({
      name: 'several',
      cost: 10,
      limits: [
        { ...hundred, name: 'requests', cost: 1 },
        { ...hundred, name: 'units' },
        { limit: tokenBucket({ capacity: 100, refillRate: 0 }), name: 'budget' },
      ],
      store,
    });
    const remaining = async () => (await several.peek('ann')).verdicts.map((verdict) => verdict.remaining);
    const options = { expires: '1m', onExpiry: 'giveBack' } as const;
    const [first, second, third] = [
      await several.reserve('ann', options),
      await several.reserve('ann', options),
      await several.reserve('ann', options),
    ];
    expect(await remaining()).toEqual([97, 70, 70]);
    await pass('1m');
    expect(await remaining()).toEqual([100, 100, 100]);
    await first.settle(25);
    expect(await remaining()).toEqual([99, 75, 75]);
    await second.settle({ units: 5 });
    expect(await remaining()).toEqual([98, 70, 65]);
    await third.cancel();
    expect(await remaining()).toEqual([98, 70, 65]);
  });

  it.each(['keep', 'giveBack'] as const)('frees its slot with %j, and no other slot later', async (onExpiry) => {
    const slots = createLimiter({ name: 'slots', limits: [concurrency({ limit: 1, lease: '5s' }), hundred], store });
    const forgotten = await slots.reserve('ann', { expires: '1m', onExpiry });
    for (let i = 0; i < 59; i += 1) await pass(1000);
    expect((await slots.peek('ann')).allowed).toBe(false);
    await pass(1000);
    const next = await slots.reserve('ann');
    expect(next.allowed).toBe(true);
    await forgotten.settle();
    expect((await slots.peek('ann')).allowed).toBe(false);
    await next.settle();
    expect((await slots.peek('ann')).verdicts.map(({ remaining }) => remaining)).toEqual([1, 98]);
  });

  it('gives its units back if its slot was released before, and nothing if it had only a slot', async () => {
    const both = createLimiter({ name: 'both', limits: [concurrency({ limit: 1, lease: '1h' }), hundred], store });
    const options = { expires: '1m', onExpiry: 'giveBack' } as const;
    const reservation = await both.reserve('ann', options);
    await reservation.release();
    const remaining = async () => (await both.peek('ann')).verdicts.map((verdict) => verdict.remaining);
    expect(await remaining()).toEqual([1, 99]);
    const next = await both.reserve('ann');
    await pass('1m');
    expect(await remaining()).toEqual([0, 99]);
    await next.cancel();
    await reservation.settle(7);
    expect(await remaining()).toEqual([1, 93]);
    const slots = createLimiter({ name: 'slots', limit: concurrency({ limit: 1, lease: '1h' }), store });
    await (await slots.reserve('ann', options)).release();
    const held = await slots.reserve('ann');
    await pass('1m');
    expect((await slots.peek('ann')).allowed).toBe(false);
    await held.settle();
  });

  it('is forgotten once its slot is released, if that was all it had', async () => {
    const sleeps = sleepsOf(clock);
    const slots = createLimiter({ name: 'slots', limit: concurrency({ limit: 1, lease: '1h' }), store });
    for (const expires of ['1m', '2m'] as const) await (await slots.reserve('ann', { expires })).release();
    await pass('1m');
    expect(sleeps()).toEqual([]);
  });

  it('gives its slot to a waiting caller', async () => {
    const slots = createLimiter({ name: 'slots', limit: concurrency({ limit: 1, lease: '1h' }), store });
    await slots.reserve('ann', { expires: '10s' });
    const waiting = slots.wait('ann', { maxWait: '10s' });
    for (let i = 0; i < 10; i += 1) await pass(1000);
    expect((await waiting).allowed).toBe(true);
    await (await waiting).settle();
  });

  it('keeps its place in a leaky bucket, and settles an additional cost there', async () => {
    const queue = createLimiter({ name: 'queue', limit: leakyBucket({ capacity: 9, leakRate: 0.001 }), store });
    const reservation = await queue.reserve('ann', { cost: 2, expires: '1m', onExpiry: 'giveBack' });
    await pass('1m');
    expect((await queue.peek('ann')).tightest.remaining).toBe(7);
    await reservation.settle(3);
    expect((await queue.peek('ann')).tightest.remaining).toBe(6);
  });

  it('counts its time from when wait() resolves', async () => {
    const queue = createLimiter({
      name: 'queue',
      limits: [leakyBucket({ capacity: 2, leakRate: 0.1 }), hundred],
      store,
    });
    await queue.consume('ann');
    const waiting = queue.wait('ann', { expires: '5s', onExpiry: 'giveBack' });
    await clock.untilSleeping(1);
    await pass(10_000);
    expect((await waiting).allowed).toBe(true);
    const remaining = async () => (await queue.peek('ann')).verdicts[1]?.remaining;
    await pass(4999);
    expect(await remaining()).toBe(98);
    await pass(1);
    expect(await remaining()).toBe(99);
  });

  it('does nothing if nothing was charged', async () => {
    const sleeps = sleepsOf(clock);
    await limiter.consume('ann', { cost: 100 });
    const refused = await limiter.reserve('ann', { expires: '1m', onExpiry: 'giveBack' });
    expect(refused.allowed).toBe(false);
    const skipping = createLimiter({ ...hundred, name: 'skipping', skip: () => true, store });
    await skipping.reserve('ann', { expires: '1m', onExpiry: 'giveBack' });
    expect(sleeps()).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ expires: 0 }, 'expires'],
    [{ expires: '1 minute' }, 'expires'],
    [{ expires: '1m', onExpiry: 'refund' }, 'onExpiry'],
    [{ onExpiry: 'giveBack' }, 'onExpiry'],
    [{ expiry: '1m' }, 'expiry'],
  ])('refuses %j, and spends nothing', async (options, path) => {
    const wrong = options as ReserveSpend;
    for (const verb of [limiter.reserve, limiter.wait]) {
      await expect((async () => verb('ann', wrong))()).rejects.toMatchObject({ code: 'SLUICE_OPTION', path });
    }
    await expect((async () => limiter.consume('ann', { expires: '1m' } as object))()).rejects.toMatchObject({
      code: 'SLUICE_OPTION',
      path: 'expires',
    });
    expect(await left()).toBe(100);
  });

  it('shares one sleep with the others of its store, which ends with the store', async () => {
    const sleeps = sleepsOf(clock);
    const other = createLimiter({ ...hundred, name: 'other', store });
    for (let i = 0; i < 50; i += 1) {
      await limiter.reserve(`user-${i}`, { expires: 60_000 + i });
      await other.reserve(`user-${i}`, { expires: 120_000 - i });
    }
    expect(sleeps()).toEqual([60_000]);
    await pass('1m');
    expect(sleeps()).toHaveLength(1);
    if (store instanceof MemoryStore) {
      store.close();
      await settled();
      expect(sleeps()).toEqual([]);
    }
  });

  it('begins its own time at the moment when another one ends', async () => {
    await limiter.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    clock.advance('1m');
    await limiter.reserve('bob', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    await pass(0);
    expect([await left('ann'), await left('bob')]).toEqual([100, 70]);
    await pass('1m');
    expect(await left('bob')).toBe(100);
  });

  it('ends after its whole time if a wrong clock is corrected', async () => {
    await limiter.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    const rightMs = clock.now() - 86_400_000;
    clock.set(clock.now() + 60_000 - 1);
    clock.set(rightMs);
    // The sleep that began on the wrong clock wakes once more on it.
    clock.set(rightMs + 86_400_000 + 60_000);
    await settled();
    await settled();
    expect(await left()).toBe(100);
  });
});

describe('Very many reservations that expire', () => {
  const MANY = 50_000;

  it('need no sleep and no wake-up each if they are settled in time', () => {
    let sleeps = 0;
    clock.sleep = () => {
      sleeps += 1;
      return new Promise(() => {});
    };
    const store = new MemoryStore({ clock });
    const limiter = createLimiter({ ...hundred, store });
    for (let i = 0; i < MANY; i += 1) {
      limiter.reserve('ann', { cost: 0, expires: '1m' }).settle();
      limiter.reserve('ann', { cost: 0, expires: '2m' }).cancel();
    }
    expect(sleeps).toBe(1);
    store.close();
  });

  it('end at the same time, and let other work run between them', async () => {
    const store = new MemoryStore({ clock, maxKeys: MANY });
    const limiter = createLimiter({ ...hundred, store });
    for (let i = 0; i < MANY; i += 1) limiter.reserve(`user-${i}`, { expires: '1m', onExpiry: 'giveBack' });
    clock.advance('1m');
    await settled();
    const first = store.size;
    expect(first).toBeGreaterThan(MANY / 2);
    for (let i = 0; i < MANY && store.size > 0; i += 1) await settled();
    expect(store.size).toBe(0);
    store.close();
  });

  it('give units back over an asynchronous store, a few hundred at a time', async () => {
    const store = new AsyncStore(clock);
    let [underWay, most] = [0, 0];
    const adjust = store.adjust.bind(store);
    store.adjust = async (change) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await settled();
      underWay -= 1;
      return adjust(change);
    };
    const limiter = createLimiter({ ...hundred, limit: 10_000, store });
    for (let i = 0; i < 2000; i += 1) await limiter.reserve('ann', { expires: '1m', onExpiry: 'giveBack' });
    clock.advance('1m');
    for (let i = 0; i < 2000 && (await limiter.peek('ann')).tightest.remaining < 10_000; i += 1) await settled();
    expect((await limiter.peek('ann')).tightest.remaining).toBe(10_000);
    expect(most).toBeLessThanOrEqual(256);
    expect(most).toBeGreaterThan(100);
    await store.close();
  });
});

describe('A store that fails when a reservation expires', () => {
  it('is reported, keeps the charge, and ends the others when it has recovered', async () => {
    const store = new FragileStore('by rejecting', 1, clock);
    const limiter = createLimiter({ ...hundred, name: 'api', store });
    await limiter.reserve('ann', { cost: 30, expires: '1m', onExpiry: 'giveBack' });
    await limiter.reserve('bob', { cost: 30, expires: '2m', onExpiry: 'giveBack' });
    const errors: unknown[] = [];
    const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
    store.failure = new Error('connection lost');
    clock.advance('1m');
    for (let i = 0; i < 5; i += 1) await settled();
    stop();
    expect(errors).toEqual([store.failure]);
    store.failure = undefined;
    clock.advance('1m');
    for (let i = 0; i < 5; i += 1) await settled();
    const left = async (subject: string) => (await limiter.peek(subject)).tightest.remaining;
    expect([await left('ann'), await left('bob')]).toEqual([70, 100]);
    await store.close();
  });

  describe.each([
    ['of an operation', 'job 1'],
    ['that nobody else knows', undefined],
  ])('and has the charge %s', (_, id) => {
    it.each<[what: string, isMade: boolean, correct: 'settle' | 'cancel', actual: number | undefined, left: number]>([
      ['was not made', false, 'settle', 10, 90],
      ['was made, and its answer was lost', true, 'settle', 10, 90],
      ['was not made', false, 'settle', undefined, 70],
      ['was made, and its answer was lost', true, 'settle', undefined, 70],
      ['was not made', false, 'cancel', undefined, 100],
      ['was made, and its answer was lost', true, 'cancel', undefined, 100],
    ])('charges once if the end %s (%j), by %s(%j)', async (_what, isMade, correct, actual, left) => {
      const store = new FragileStore('by rejecting', 1, clock);
      const limits = [concurrency({ limit: 1, lease: '1h' }), hundred];
      const limiter = createLimiter({ name: 'api', limits, store });
      const spend: ReserveSpend = { cost: 30, expires: '1m', onExpiry: 'giveBack' };
      const reservation = await limiter.reserve('ann', { ...spend, ...(id !== undefined && { id }) });
      const adjust = store.adjust.bind(store);
      store.adjust = async (change) => {
        if (isMade) await adjust(change);
        throw new Error('connection lost');
      };
      clock.advance('1m');
      for (let i = 0; i < 5; i += 1) await settled();
      store.adjust = adjust;
      await reservation[correct](actual);
      expect((await limiter.peek('ann')).verdicts[1]?.remaining).toBe(left);
      await store.close();
    });
  });

  it('gives nothing back in a closed store, without an error', async () => {
    const store = new AsyncStore(clock);
    const limiter = createLimiter({ ...hundred, store });
    await limiter.reserve('ann', { expires: '1m', onExpiry: 'giveBack' });
    await store.close();
    clock.advance('1m');
    await settled();
    await settled();
  });
});

it('A reservation that expires in an hour does not keep the process alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  const store = new MemoryStore();
  const limiter = createLimiter({ ...hundred, store });
  limiter.reserve('ann', { expires: '1h' });
  await limiter.wait('ann', { expires: '30m' });
  expect(timers()).toBe(before);
  store.close();
});
