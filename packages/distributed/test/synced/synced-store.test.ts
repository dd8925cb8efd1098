import '@sluice/core/calendars';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  boundOf,
  type ChangeResponse,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  type LimitCheck,
  leakyBucket,
  MemoryStore,
  type StoreResponse,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  subscribe,
  tokenBucket,
} from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { calendarBoundsAround } from '@sluice/core/src/calendars/bounds';
import { check, SharedStore } from '../leased/shared-store.js';

const HUNDRED = slidingWindow({ limit: 100, window: '1m' });

let shared: SharedStore;
let store: SyncedStore;

beforeEach(() => {
  shared = new SharedStore();
  store = new SyncedStore({ busyFrom: 1, store: shared, sync: '1s', slice: 20 });
});

afterEach(() => store.close());

const ask = async (limit = HUNDRED, own = {}): Promise<StoreResponse> => store.consume({ checks: [check(limit, own)] });

async function askTimes(times: number): Promise<StoreResponse[]> {
  const replies: StoreResponse[] = [];
  for (let i = 0; i < times; i += 1) replies.push(await ask());
  return replies;
}

/** The units that are left according to the shared store itself. */
async function leftThere(): Promise<number> {
  const { verdicts } = await shared.consume({ checks: [check(HUNDRED)], peek: true });
  shared.asks.pop();
  return verdicts[0]?.remaining ?? Number.NaN;
}

/** Lets time pass until the next synchronization. */
async function tick(): Promise<void> {
  shared.clock.advance('1s');
  await new Promise(setImmediate);
}

describe('A synced store', () => {
  it('admits what still fits after it has refused more', async () => {
    await shared.consume({ checks: [check(HUNDRED, { cost: 95 })] });
    const decisions: boolean[] = [];
    // The second one is more than half of what is left, so the store has to be asked.
    for (const cost of [20, 4]) decisions.push((await ask(HUNDRED, { cost })).allowed);
    expect(decisions).toEqual([false, true]);
  });

  it('asks the store while nobody knows how old its last response is, because the clock went back', async () => {
    await askTimes(10);
    expect(shared.asks).toHaveLength(1);
    shared.clock.set(shared.clock.now() - 3_600_000);
    await ask();
    expect(shared.asks).toHaveLength(2);
  });

  it('asks the store only about an unknown key', async () => {
    await askTimes(10);
    expect(shared.asks).toHaveLength(1);
    expect(shared.changes).toEqual([]);
    expect(await leftThere()).toBe(99);
  });

  it('reports its counts to the store at intervals', async () => {
    await askTimes(7);
    await tick();
    expect(await leftThere()).toBe(93);
    await askTimes(3);
    await tick();
    expect(await leftThere()).toBe(90);
  });

  it('reports at once when half of the slice is used up', async () => {
    await askTimes(50);
    expect(shared.changes.map(({ checks }) => checks[0]?.cost)).toEqual([10, 10, 10, 10]);
    expect(await leftThere()).toBe(59);
  });

  it('reports the remaining units as if it were alone', async () => {
    const replies = await askTimes(60);
    expect(replies.map(({ verdicts }) => verdicts[0]?.remaining)).toEqual(Array.from({ length: 60 }, (_, i) => 99 - i));
  });

  it('admits exactly the limit if it is alone, and refuses with the time to wait', async () => {
    const replies = await askTimes(105);
    expect(replies.filter(({ allowed }) => allowed)).toHaveLength(100);
    const refusal = replies.at(-1)?.verdicts[0];
    expect(refusal).toMatchObject({ allowed: false, remaining: 0 });
    expect(refusal?.retryAfterMs).toBeGreaterThanOrEqual(60_000);
  });

  it('refuses without asking if it knows', async () => {
    await askTimes(101);
    const before = shared.asks.length;
    await askTimes(50);
    expect(shared.asks).toHaveLength(before);
  });

  it('reports a key without spent units as fresh, without asking', async () => {
    const checks = [check(fixedWindow({ limit: 0, window: '1h' }), { name: 'none' }), check(HUNDRED)];
    const resets: (number | 'never' | undefined)[] = [];
    for (let i = 0; i < 3; i += 1) resets.push((await store.consume({ checks })).verdicts[1]?.resetAfterMs);
    expect(shared.asks.length).toBeLessThan(3);
    expect(resets).toEqual([0, 0, 0]);
  });

  it.each<[string, Limit]>([
    ['a fixed window', fixedWindow({ limit: 10, window: '1m' })],
    ['a sliding window', slidingWindow({ limit: 10, window: '1m' })],
    ['a log', slidingWindowLog({ limit: 10, window: '1m' })],
    ['a bucket', tokenBucket({ capacity: 10, refillRate: 1 })],
    ['a bucket that never refills', tokenBucket({ capacity: 10, refillRate: 0 })],
  ])('knows when the units that it admits count no more: %s', async (_, limit) => {
    const alone = new MemoryStore({ clock: shared.clock });
    const resetOf = ({ verdicts }: StoreResponse): number => Number(verdicts[0]?.resetAfterMs);
    // A request that never fits shows that the key is fresh.
    await store.consume({ checks: [check(limit, { cost: 11 })] });
    for (const cost of [3, 2]) {
      const checks = [check(limit, { cost })];
      const exactMs = resetOf(alone.consume({ checks }));
      const knownMs = resetOf(await store.consume({ checks }));
      // The time is that of the last answer of the store, and a sub-window is a twentieth of the window.
      if (Number.isNaN(exactMs)) expect(knownMs).toBeNaN();
      else expect([knownMs >= 0.95 * exactMs, knownMs <= exactMs + 100]).toEqual([true, true]);
      shared.clock.advance(100);
    }
    expect(shared.asks).toHaveLength(1);
  });

  it('learns the counts of others', async () => {
    await ask();
    await shared.consume({ checks: [check(HUNDRED, { cost: 90 })] });
    await tick();
    expect((await ask()).verdicts[0]?.remaining).toBe(8);
  });

  it('forgets a key that nobody asks for', async () => {
    await ask();
    await tick();
    await tick();
    await tick();
    const before = shared.asks.length;
    await ask();
    expect(shared.asks).toHaveLength(before + 1);
  });

  it('keeps admitting within the slice while the store fails, then fails, and reports everything in the end', async () => {
    await askTimes(2);
    const { adjust, consume } = shared;
    const lost = async (): Promise<never> => {
      throw new Error('connection lost');
    };
    Object.assign(shared, { adjust: lost, consume: lost });
    const errors: unknown[] = [];
    const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
    await tick();
    expect(errors).toHaveLength(2);
    await askTimes(19);
    await expect(ask()).rejects.toThrow('connection lost');
    stop();
    Object.assign(shared, { adjust, consume });
    await tick();
    expect(await leftThere()).toBe(79);
  });

  describe('by default', () => {
    let byDefault: SyncedStore;
    beforeEach(() => {
      byDefault = new SyncedStore({ store: shared });
    });
    afterEach(() => byDefault.close());

    const spend = async (limit: Limit): Promise<StoreResponse> => byDefault.consume({ checks: [check(limit)] });
    const thousand = slidingWindow({ limit: 1000, window: '1m' });

    it('asks about each request of a key that is not busy, and reports nothing', async () => {
      for (let seconds = 0; seconds < 20; seconds += 1) {
        for (let i = 0; i < 5; i += 1) await spend(thousand);
        await tick();
      }
      expect(shared.asks.map(({ checks, peek }) => [checks[0]?.cost, peek])).toEqual(Array(100).fill([1, undefined]));
      expect(shared.changes).toEqual([]);
    });

    it('counts a key here from its sixth request in a second on, and no more when it has become quiet', async () => {
      for (let i = 0; i < 30; i += 1) await spend(thousand);
      expect(shared.asks).toHaveLength(6);
      for (let seconds = 0; seconds < 4; seconds += 1) await tick();
      const { length } = shared.asks;
      await spend(thousand);
      await spend(thousand);
      expect(shared.asks).toHaveLength(length + 2);
    });

    it.each([
      [1000, undefined, 100],
      [100, undefined, 10],
      [40, undefined, 10],
      [1000, 0.2, 200],
      [1000, 25, 25],
    ])('of a limit of %d with the slice %s, admits %d units from what it knows', async (limit, slice, units) => {
      const store = new SyncedStore({ busyFrom: 1, store: shared, ...(slice !== undefined && { slice }) });
      const own = slidingWindow({ limit, window: '1m' });
      await store.consume({ checks: [check(own)] });
      const never = new Promise<never>(() => {});
      Object.assign(shared, { adjust: () => never, consume: () => never });
      let admitted = 0;
      for (let i = 0; i < 2 * units; i += 1) {
        const answer = await Promise.race([store.consume({ checks: [check(own)] }), Promise.resolve()]);
        if (answer?.allowed) admitted += 1;
      }
      expect(admitted).toBe(units);
    });

    it.each([0, -1, 1.5, Number.NaN])('refuses the slice %s', (slice) => {
      expect(() => new SyncedStore({ store: shared, slice })).toThrow(
        'must be a whole number of at least 1, or a share of the limit between 0 and 1',
      );
    });
  });

  it('repeats a report that may be lost, which the store counts once', async () => {
    await askTimes(7);
    const { adjust } = shared;
    shared.adjust = async (change) => {
      await adjust.call(shared, change);
      throw new Error('connection lost');
    };
    await tick();
    await askTimes(2);
    await tick();
    expect(await leftThere()).toBe(91);
    shared.adjust = adjust;
    await ask();
    await tick();
    expect(await leftThere()).toBe(90);
    expect((await ask()).verdicts[0]?.remaining).toBe(89);
  });

  it('uses a reply for two sync intervals', async () => {
    await askTimes(2);
    const lost = () => Promise.reject(new Error('connection lost'));
    Object.assign(shared, { adjust: lost, consume: lost });
    await tick();
    await ask();
    await tick();
    await expect(ask()).rejects.toThrow('connection lost');
  });

  it('admits no second slice from old knowledge while the first reply is on its way', async () => {
    await ask();
    let admitted = 1;
    const count = (): void => {
      admitted += 1;
    };
    let arrive: () => void = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    shared.back = () => arrived;
    const asked = Array.from({ length: 30 }, () => ask().then(count));
    await new Promise(setImmediate);
    // The other requests ask the store, which has counted them by now.
    expect(admitted).toBe(21);
    expect(shared.asks.filter(({ peek }) => !peek)).toHaveLength(11);
    arrive();
    await Promise.all(asked);
    expect(admitted).toBe(31);
    shared.back = async () => {};
    expect(await leftThere()).toBe(69);
  });

  it('admits no more than a slice from old knowledge if reports arrive but their replies do not', async () => {
    await ask();
    const { adjust } = shared;
    shared.back = () => Promise.reject(new Error('lost'));
    shared.adjust = async (change) => {
      await adjust.call(shared, change);
      return shared.back() as Promise<never>;
    };
    await askTimes(20);
    for (let i = 0; i < 3; i += 1) await expect(ask()).rejects.toThrow('lost');
    Object.assign(shared, { adjust, back: async () => {} });
    // A charge of the store stays, although its reply was lost. Half a slice was reported with one of these requests, and once more by itself.
    expect((await ask()).verdicts[0]?.remaining).toBe(65);
  });

  it('reports its counts when it is closed, and refuses further calls', async () => {
    await askTimes(7);
    await store.close();
    expect(await leftThere()).toBe(93);
    await expect(ask()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('also reports units on close that it counted during a report', async () => {
    await askTimes(3);
    const { adjust } = shared;
    let arrive = (): void => {};
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    shared.adjust = (change) => held.then(() => adjust.call(shared, change));
    await tick();
    await askTimes(2);
    const closed = store.close();
    arrive();
    await closed;
    expect(await leftThere()).toBe(95);
  });

  it('subtracts unsynced units in a peek', async () => {
    await askTimes(7);
    const { verdicts } = await store.consume({ checks: [check(HUNDRED)], peek: true });
    expect(verdicts[0]?.remaining).toBe(93);
  });

  it('reports its units as used, synced or not', async () => {
    const replies = await askTimes(30);
    expect(replies.map(({ verdicts }) => verdicts[0]?.used)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    const { verdicts } = await store.consume({ checks: [check(HUNDRED)], peek: true });
    expect(verdicts[0]).toMatchObject({ used: 30, remaining: 70 });
    expect((await ask(HUNDRED, { cost: 15 })).verdicts[0]).toMatchObject({ used: 45, remaining: 55 });
  });

  it('includes all its units in the state after a correction', async () => {
    await askTimes(7);
    const { result, verdicts } = await store.adjust({ checks: [check(HUNDRED, { cost: 90 })] });
    expect(result).toBe('applied');
    expect(verdicts).toMatchObject([{ limit: HUNDRED, cost: 1, allowed: true, used: 97, remaining: 3 }]);
    const after = await store.adjust({ checks: [check(HUNDRED, { cost: 5 })] });
    expect(after.verdicts).toMatchObject([{ allowed: false, used: 102, remaining: 0 }]);
  });

  describe('Of units that it counted before the store did, it gives back', () => {
    /** Counted by the millisecond, like all limits of at most 20 units. */
    const TEN = slidingWindow({ limit: 10, window: '1m' });

    const usedThere = async (limit: Limit): Promise<number | undefined> =>
      (await shared.consume({ checks: [check(limit)], peek: true })).verdicts[0]?.used;

    const giveBack = (units: number, atMs: number, limit = TEN): Promise<ChangeResponse> =>
      store.adjust({ checks: [check(limit, { cost: 0 - units })], atMs });

    it('all, though others were counted in between', async () => {
      await ask(TEN);
      shared.clock.advance(10);
      const { atMs } = await ask(TEN, { cost: 3 });
      shared.clock.advance(10);
      await shared.consume({ checks: [check(TEN)] });
      shared.clock.advance(10);
      await giveBack(3, atMs);
      expect(await usedThere(TEN)).toBe(2);
    });

    it('all of each request, though several were reported together, and others later', async () => {
      const HALF = slidingWindow({ limit: 20, window: '1m' });
      await ask(HALF);
      const atMs: number[] = [];
      for (const cost of [2, 3, 2]) {
        shared.clock.advance(10);
        atMs.push((await ask(HALF, { cost })).atMs);
        await shared.consume({ checks: [check(HALF)] });
      }
      await tick();
      expect(await usedThere(HALF)).toBe(11);
      for (const [i, units] of [2, 3, 2].entries()) await giveBack(units, atMs[i] as number, HALF);
      expect(await usedThere(HALF)).toBe(4);
    });

    it('all, though they were reported with a request that the store decided', async () => {
      const HALF = slidingWindow({ limit: 20, window: '1m' });
      await ask(HALF);
      shared.clock.advance(10);
      const { atMs } = await ask(HALF, { cost: 3 });
      shared.clock.advance(10);
      await shared.consume({ checks: [check(HALF)] });
      shared.clock.advance(10);
      await ask(HALF, { cost: 9 });
      expect(shared.asks.at(-1)?.checks[0]?.cost).toBe(12);
      await giveBack(3, atMs, HALF);
      expect(await usedThere(HALF)).toBe(11);
    });

    it('those of a fixed window that the store counted in the next one', async () => {
      const fixed = fixedWindow({ limit: 20, window: '1m' });
      await ask(fixed);
      shared.clock.advance('58700ms');
      await tick();
      // The known state is forgotten, so this request asks the store.
      await ask(fixed);
      shared.clock.advance(100);
      const { atMs } = await ask(fixed, { cost: 3 });
      await tick();
      expect(await usedThere(fixed)).toBe(3);
      expect(await giveBack(3, atMs, fixed)).toMatchObject({ result: 'applied' });
      expect(await usedThere(fixed)).toBe(0);
    });

    it('none that it has reported twice, since nobody knows when the store counted them', async () => {
      await ask(TEN);
      shared.clock.advance(10);
      const { atMs } = await ask(TEN, { cost: 3 });
      const { adjust } = shared;
      shared.adjust = async (change) => {
        await adjust.call(shared, change);
        throw new Error('connection lost');
      };
      await tick();
      shared.adjust = adjust;
      await tick();
      expect(await usedThere(TEN)).toBe(4);
      expect(await giveBack(3, atMs)).toMatchObject({ result: 'expired' });
      expect(await usedThere(TEN)).toBe(4);
    });

    it('none twice, and none of others', async () => {
      await ask(TEN);
      shared.clock.advance(10);
      const { atMs } = await ask(TEN, { cost: 3 });
      await tick();
      await shared.consume({ checks: [check(TEN, { cost: 4 })] });
      expect(await giveBack(3, atMs)).toMatchObject({ result: 'applied' });
      expect(await usedThere(TEN)).toBe(5);
    });
  });

  it('reports in a peek that nothing fits if the unsynced units use up the limit', async () => {
    await askTimes(9);
    await shared.consume({ checks: [check(HUNDRED, { cost: 91 })] });
    const { allowed, verdicts } = await store.consume({ checks: [check(HUNDRED)], peek: true });
    expect(allowed).toBe(false);
    expect(verdicts[0]).toMatchObject({ allowed: false, used: 100, remaining: 0 });
    expect(verdicts[0]?.retryAfterMs).toBeGreaterThan(0);
  });

  it('drops its counts of a key that is reset', async () => {
    await askTimes(7);
    expect(await store.reset([check(HUNDRED)])).toBe(1);
    expect((await ask()).verdicts[0]?.remaining).toBe(99);
  });

  it('reports a limit that is not reset with another, however often that happens', async () => {
    const everyone = check(HUNDRED, { name: 'all', key: 'everyone' });
    let admitted = 0;
    for (let i = 0; i < 150; i += 1) {
      if ((await store.consume({ checks: [everyone, check(HUNDRED)] })).allowed) admitted += 1;
      if (i % 5 === 4) await store.reset([check(HUNDRED)]);
    }
    expect(admitted).toBe(100);
  });

  it('drops its counts of a key that is reset, even if another limit is reported after that', async () => {
    const everyone = check(HUNDRED, { name: 'all', key: 'everyone' });
    for (let i = 0; i < 7; i += 1) await store.consume({ checks: [everyone, check(HUNDRED)] });
    const { adjust } = shared;
    let arrive = (): void => {};
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    shared.adjust = (change) => held.then(() => adjust.call(shared, change));
    await store.reset([check(HUNDRED)]);
    arrive();
    await store.close();
    expect(await leftThere()).toBe(100);
    const { verdicts } = await shared.consume({ checks: [everyone], peek: true });
    expect(verdicts[0]?.remaining).toBe(93);
  });

  it('drops its counts of a key that is reset, even if a report about another limit is lost and repeated', async () => {
    const everyone = check(HUNDRED, { name: 'all', key: 'everyone' });
    for (let i = 0; i < 7; i += 1) await store.consume({ checks: [everyone, check(HUNDRED)] });
    const adjust = shared.adjust.bind(shared);
    shared.adjust = () => Promise.reject(new Error('connection lost'));
    await store.reset([check(HUNDRED)]);
    await tick();
    // What was reset last has no report any more.
    await store.reset([everyone]);
    for (let i = 0; i < 3; i += 1) await store.consume({ checks: [everyone, check(HUNDRED)] });
    shared.adjust = adjust;
    await tick();
    await store.close();
    expect(await leftThere()).toBe(97);
    const { verdicts } = await shared.consume({ checks: [everyone], peek: true });
    expect(verdicts[0]?.remaining).toBe(97);
  });

  it('exceeds a limit that many kinds of requests share by at most a slice', async () => {
    const everyone = check(HUNDRED, { name: 'all', key: 'everyone' });
    const users = Array.from({ length: 50 }, (_, i) => check(HUNDRED, { key: `user-${i}` }));
    let admitted = 0;
    for (const user of [...users, ...users, ...users]) {
      if ((await store.consume({ checks: [everyone, user] })).allowed) admitted += 1;
    }
    expect(admitted).toBeGreaterThanOrEqual(100);
    expect(admitted).toBeLessThanOrEqual(
      boundOf(HUNDRED, '50s', { sync: '1s', slice: 20, instances: 1, onStoreError: 'deny' }),
    );
    // Forgotten together with the kind of request that counted it, so that another kind may count it.
    await tick();
    await tick();
    const before = shared.asks.length;
    for (let i = 0; i < 5; i += 1) await store.consume({ checks: [everyone, users[7] as LimitCheck] });
    expect(shared.asks.length).toBe(before + 1);
  });

  it('reports its counts in the same step as a request', async () => {
    await askTimes(10);
    const { verdicts } = await ask(HUNDRED, { cost: 15 });
    expect(shared.asks.at(-1)?.checks[0]?.cost).toBe(9 + 15);
    expect(verdicts[0]).toMatchObject({ cost: 15, remaining: 75, retryAfterMs: 0 });
    expect(shared.changes).toEqual([]);
  });

  it('says that the same request fits once more where it fits alone, but not with its counts', async () => {
    await askTimes(10);
    await shared.consume({ checks: [check(HUNDRED, { cost: 50 })] });
    const { verdicts } = await ask(HUNDRED, { cost: 20 });
    expect(verdicts[0]).toMatchObject({ allowed: true, remaining: 20, retryAfterMs: 0 });
  });

  it('also refuses because of its counts, and reports them after that', async () => {
    await askTimes(10);
    await shared.consume({ checks: [check(HUNDRED, { cost: 80 })] });
    const { allowed, verdicts } = await ask(HUNDRED, { cost: 15 });
    expect([allowed, verdicts[0]?.cost, verdicts[0]?.remaining]).toEqual([false, 15, 10]);
    expect(await leftThere()).toBe(10);
  });

  it('reports a hundred kinds of requests at a time', async () => {
    const users = Array.from({ length: 250 }, (_, i) => ({ key: `user-${i}` }));
    for (const user of [...users, ...users]) await ask(HUNDRED, user);
    const { adjust } = shared;
    let telling = 0;
    let most = 0;
    shared.adjust = async (change) => {
      telling += 1;
      most = Math.max(most, telling);
      await new Promise(setImmediate);
      telling -= 1;
      return adjust.call(shared, change);
    };
    shared.clock.advance('1s');
    for (let i = 0; i < 12; i += 1) await new Promise(setImmediate);
    expect(shared.changes).toHaveLength(250);
    expect(most).toBe(100);
  });

  it('reports with new boundaries if the calendar interval has changed, and forgets the key', async () => {
    const calendar = { unit: 'day', timeZone: 'UTC' } as const;
    const daily = fixedWindow({ limit: 100, window: calendar });
    const calendarBoundsMs = calendarBoundsAround(calendar, shared.clock.now());
    await ask(daily, { calendarBoundsMs });
    await ask(daily, { calendarBoundsMs });
    shared.clock.advance('5d');
    for (let i = 0; i < 4; i += 1) await tick();
    expect(shared.changes).toHaveLength(2);
    const asleep = shared.clock.untilSleeping(1).then(() => 'asleep');
    expect(await Promise.race([asleep, new Promise((resolve) => setImmediate(resolve, 'awake'))])).toBe('awake');
  });

  it('asks the store about a cost above the slice, each time', async () => {
    await ask(HUNDRED, { cost: 21 });
    expect(await leftThere()).toBe(79);
    for (let i = 0; i < 5; i += 1) await ask(HUNDRED, { cost: 21 });
    expect(shared.asks).toHaveLength(6);
  });

  it('asks the store again when another limit than the first has other numbers', async () => {
    const everyone = check(HUNDRED, { name: 'all', key: 'everyone' });
    for (const limit of [HUNDRED, HUNDRED, slidingWindow({ limit: 50, window: '1m' })])
      await store.consume({ checks: [everyone, check(limit)] });
    expect(shared.asks).toHaveLength(2);
  });

  it('asks the store about costs that differ from limit to limit', async () => {
    const checks = [check(HUNDRED), check(HUNDRED, { name: 'other', cost: 2 })];
    for (let i = 0; i < 3; i += 1) await store.consume({ checks });
    expect(shared.asks).toHaveLength(3);
  });

  it.each([
    slidingWindowCounter({ limit: 9, window: '1m' }),
    leakyBucket({ capacity: 9, leakRate: 1 }),
    concurrency({ limit: 9, lease: '10s' }),
  ])('refuses to count a $algorithm in the process, with a clear error', async (limit) => {
    await expect(store.consume({ checks: [check(limit)], id: 'x' })).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
    });
    expect(() => createLimiter<string, true>({ limit, store })).toThrow(
      expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }),
    );
  });

  it('counts a bucket that refills quickly, whatever the interval', () => {
    const limit = tokenBucket({ capacity: 10, refillRate: 1000 });
    expect(() => createLimiter<string, true>({ limit, store })).not.toThrow();
  });
});

it.each([
  [{}, 'store'],
  [{ store: new LeasedStore({ store: new SharedStore() }) }, 'store'],
  [{ store: new SyncedStore({ busyFrom: 1, store: new SharedStore() }) }, 'store'],
  [{ store: new SharedStore(), sync: 9 }, 'sync'],
  [{ store: new SharedStore(), slice: 0 }, 'slice'],
  [{ store: new SharedStore(), lease: '1s' }, 'lease'],
])('A synced store refuses the options %p', (options, path) => {
  expect(() => new SyncedStore(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
});
