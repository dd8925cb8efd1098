import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type Change,
  concurrency,
  createLimiter,
  fixedWindow,
  leakyBucket,
  replacePolicy,
  type StoreResponse,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { ManualClock } from '@sluice/core/testing';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { RemoteMemory } from '../../../remote/test/guard/remote-memory.js';
import { check, SharedStore } from './shared-store.js';

const THOUSAND = slidingWindow({ limit: 1000, window: '1m' });

let shared: SharedStore;
let store: LeasedStore;

beforeEach(() => {
  shared = new SharedStore();
  store = new LeasedStore({ busyFrom: 1, store: shared });
});

afterEach(() => store.close());

const ask = async (limit = THOUSAND, own = {}): Promise<StoreResponse> =>
  store.consume({ checks: [check(limit, own)] });

async function askTimes(times: number, limit = THOUSAND): Promise<StoreResponse[]> {
  const replies: StoreResponse[] = [];
  for (let i = 0; i < times; i += 1) replies.push(await ask(limit));
  return replies;
}

/** Keeps back what the shared store answers, until the returned function is called. */
function holdAnswers(): () => void {
  let release = (): void => {};
  shared.back = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  return () => release();
}

/** The units that are left according to the shared store itself. */
async function leftThere(limit = THOUSAND): Promise<number> {
  const { verdicts } = await shared.consume({ checks: [check(limit)], peek: true });
  shared.asks.pop();
  return verdicts[0]?.remaining ?? Number.NaN;
}

describe('A leased store', () => {
  it('asks the store about several subjects if no step reaches all of them', async () => {
    const nodes = { a: new SharedStore(), b: new SharedStore(), c: new SharedStore() };
    const leased = new LeasedStore({ busyFrom: 1, store: new ShardedStore({ nodes }) });
    const everyone = check(THOUSAND, { name: 'all', key: 'everyone' });
    const users = Array.from({ length: 10 }, (_, i) => check(THOUSAND, { key: `user-${i}` }));
    const replies = await Promise.all(users.map((user) => leased.consume({ checks: [everyone, user] })));
    expect(replies.every(({ allowed }) => allowed)).toBe(true);
    expect((await leased.consume({ checks: [everyone] })).verdicts[0]?.remaining).toBe(989);
    await leased.close();
  });

  it('fails a tier that cannot be leased, and no request of another tier that waits beside it', async () => {
    const [wrong, right] = [1000, 1].map((refillRate) => tokenBucket({ capacity: 100, refillRate }));
    const outcomes = await Promise.allSettled([wrong, right, wrong, right].map((limit) => ask(limit)));
    expect(outcomes).toMatchObject([
      { reason: { code: 'SLUICE_OPTION' } },
      { value: { allowed: true } },
      { reason: { code: 'SLUICE_OPTION' } },
      { value: { allowed: true } },
    ]);
  });

  it('refuses a request although the units that come back are gone again each time', async () => {
    const bucket = tokenBucket({ capacity: 100, refillRate: 10 });
    const takeAll = () =>
      AsyncStore.prototype.consume.call(shared, { checks: [check(bucket, { cost: 100 })], atLeast: 1 });
    await takeAll();
    let trips = 0;
    shared.back = async () => {
      trips += 1;
      if (trips > 20) throw new Error('the request goes on asking');
      if (shared.asks.at(-1)?.peek) await takeAll();
      else shared.clock.advance(200);
    };
    const replies = await Promise.all([ask(bucket, { cost: 2 }), ask(bucket, { cost: 2 })]);
    expect(replies.map(({ allowed }) => allowed)).toEqual([false, false]);
    expect(replies[0]?.verdicts[0]?.retryAfterMs).toBeGreaterThan(0);
    expect(shared.asks.map(({ peek = false }) => peek)).toEqual([false, true, false]);
  });

  describe('by default', () => {
    let byDefault: LeasedStore;
    beforeEach(() => {
      byDefault = new LeasedStore({ store: shared });
    });
    afterEach(() => byDefault.close());

    const spend = async (limit = THOUSAND): Promise<StoreResponse> => byDefault.consume({ checks: [check(limit)] });

    it('asks about each request of a key that is not busy, and gives nothing back', async () => {
      for (let seconds = 0; seconds < 20; seconds += 1) {
        for (let i = 0; i < 11; i += 1) expect((await spend()).allowed).toBe(true);
        shared.clock.advance('1s');
        await new Promise(setImmediate);
      }
      expect(shared.asks.map(({ checks, atLeast }) => [checks[0]?.cost, atLeast])).toEqual(
        Array(220).fill([1, undefined]),
      );
      expect(shared.changes).toEqual([]);
    });

    it('takes a slice with the twelfth request in a second', async () => {
      for (let i = 0; i < 40; i += 1) await spend();
      const sizes = shared.asks.map(({ checks }) => checks[0]?.cost);
      expect(sizes).toEqual([...Array(11).fill(1), 22, 44]);
    });

    it('takes nothing of a limit that is spent, and slices again when there is room', async () => {
      const hundred = slidingWindow({ limit: 100, window: '1m' });
      for (let i = 0; i < 300; i += 1) await spend(hundred);
      const whileSpent = shared.asks.slice(-190);
      expect(whileSpent.every(({ checks, atLeast }) => checks[0]?.cost === 1 && atLeast === undefined)).toBe(true);
      await byDefault.reset([check(hundred)]);
      shared.asks.length = 0;
      for (let i = 0; i < 60; i += 1) expect((await spend(hundred)).allowed).toBe(true);
      expect(shared.asks.length).toBeLessThan(30);
    });
  });

  it('doubles a slice that was used up', async () => {
    await askTimes(100);
    expect(shared.asks.map(({ checks }) => checks[0]?.cost)).toEqual([1, 2, 4, 8, 16, 32, 64]);
  });

  it('reports the remaining units as if there were no slice', async () => {
    const replies = await askTimes(50);
    expect(replies.map(({ verdicts }) => verdicts[0]?.remaining)).toEqual(
      Array.from({ length: 50 }, (_, i) => 999 - i),
    );
    expect(replies.every(({ verdicts }) => verdicts[0]?.limit === THOUSAND)).toBe(true);
  });

  it('admits exactly the limit, and refuses with the time to wait', async () => {
    const replies = await askTimes(1005);
    expect(replies.filter(({ allowed }) => allowed)).toHaveLength(1000);
    const refusal = replies.at(-1)?.verdicts[0];
    expect(refusal).toMatchObject({ allowed: false, remaining: 0, limit: THOUSAND, cost: 1 });
    // A minute, the lease, and the rest of a twentieth of both.
    expect(refusal?.retryAfterMs).toBeGreaterThanOrEqual(61_000);
    expect(refusal?.retryAfterMs).toBeLessThan(61_000 + 61_000 / 20);
  });

  it('takes smaller slices near the limit, so that others find units', async () => {
    await askTimes(900);
    const sizes = shared.asks.map(({ checks }) => checks[0]?.cost as number);
    const largest = Math.max(...sizes);
    expect(
      sizes.slice(sizes.indexOf(largest)).every((size, i, rest) => i === 0 || size <= (rest[i - 1] as number)),
    ).toBe(true);
    expect(await leftThere(slidingWindow({ limit: 1000, window: 61_000 }))).toBeGreaterThan(0);
  });

  it('sends one request for all simultaneous requests', async () => {
    await Promise.all(Array.from({ length: 50 }, () => ask()));
    expect(shared.asks.map(({ checks }) => checks[0]?.cost)).toEqual([50]);
  });

  it('refuses all waiting requests with one reply', async () => {
    const ten = slidingWindow({ limit: 10, window: '1m' });
    const replies = await Promise.all(Array.from({ length: 1000 }, () => ask(ten)));
    expect(replies.filter(({ allowed }) => allowed)).toHaveLength(10);
    // One ask for a slice, and one peek at when there will be more.
    expect(shared.asks).toHaveLength(2);
    expect(replies.at(-1)?.verdicts[0]).toEqual((await ask(ten)).verdicts[0]);
  });

  it('admits a smaller cost than the one that was refused', async () => {
    const ten = slidingWindow({ limit: 10, window: '1m' });
    const [large, small] = await Promise.all([ask(ten, { cost: 11 }), ask(ten, { cost: 1 })]);
    expect([large?.allowed, small?.allowed]).toEqual([false, true]);
  });

  it('spends a slice no longer than the lease, and gives the rest back', async () => {
    await askTimes(4);
    expect(await leftThere()).toBe(993);
    shared.clock.advance(999);
    await ask();
    expect(shared.asks).toHaveLength(3);
    shared.clock.advance(1);
    await ask();
    expect(shared.asks).toHaveLength(4);
    expect(shared.changes.map(({ checks }) => checks[0]?.cost)).toEqual([-2]);
  });

  it('gives back unused units', async () => {
    await askTimes(4);
    expect(await leftThere()).toBe(993);
    await shared.clock.untilSleeping(1);
    shared.clock.advance('1s');
    await new Promise(setImmediate);
    expect(await leftThere()).toBe(996);
  });

  it.each(['refused', 'lost'])('also forgets a key whose slice was %s', async (outcome) => {
    if (outcome === 'refused') await shared.consume({ checks: [check(THOUSAND, { cost: 1000 })] });
    else shared.back = () => Promise.reject(new Error('lost'));
    await ask().catch(() => {});
    const isAsleep = (): Promise<string> =>
      Promise.race([
        shared.clock.untilSleeping(1).then(() => 'asleep'),
        new Promise<string>((resolve) => setImmediate(resolve, 'awake')),
      ]);
    // How often it was asked about is known for one more lease.
    for (let leases = 0; leases < 2; leases += 1) {
      expect(await isAsleep()).toBe('asleep');
      shared.clock.advance('1s');
      await new Promise(setImmediate);
    }
    expect(await isAsleep()).toBe('awake');
  });

  it('says of the units that it gives back that nobody used them', async () => {
    await askTimes(3);
    await ask();
    await store.close();
    expect(shared.changes.map(({ unspent, checks }) => [unspent, checks[0]?.cost])).toEqual([[true, -3]]);
    // Redis need not remember them as long as a long limit counts.
    const [{ atMs = 0, notAfterMs = 0 }] = shared.changes as [Change];
    expect(notAfterMs - atMs).toBe(65_000);
  });

  it('sleeps only while it holds units', async () => {
    await ask();
    for (let i = 0; i < 3; i += 1) {
      shared.clock.advance('1s');
      await new Promise(setImmediate);
    }
    const state = await Promise.race([
      shared.clock.untilSleeping(1).then(() => 'asleep'),
      new Promise((resolve) => setImmediate(resolve, 'awake')),
    ]);
    expect(state).toBe('awake');
  });

  it('gives units back with the numbers they were taken with, so that a longer window stays correct', async () => {
    const hour = slidingWindow({ limit: 1000, window: '1h' });
    await ask(slidingWindow({ limit: 1000, window: '1s' }));
    await askTimes(500, hour);
    await store.close();
    // If the short limit had written the key, it would expire with the short window.
    expect(shared.changes.map(({ checks }) => checks[0]?.limit.windowMs)).toEqual([3_601_000]);
  });

  it('lacks the units of a dead holder, and has them again after the window', async () => {
    const dead = new LeasedStore({ busyFrom: 1, store: shared });
    for (let i = 0; i < 4; i += 1) await dead.consume({ checks: [check(THOUSAND)] });
    // The other one took seven units and spent four of them.
    expect((await askTimes(1001)).filter(({ allowed }) => allowed)).toHaveLength(993);
    shared.clock.advance(61_000 + 61_000 / 20);
    expect((await askTimes(1001)).filter(({ allowed }) => allowed)).toHaveLength(1000);
  });

  it.each([-1, -3_600_000, 1000, 3_600_000])('spends no slice after its clock jumped by %d ms', async (jumpMs) => {
    const long = slidingWindow({ limit: 1000, window: '1d' });
    await askTimes(4, long);
    const asked = shared.asks.length;
    shared.clock.set(shared.clock.now() + jumpMs);
    expect((await ask(long)).allowed).toBe(true);
    expect(shared.asks).toHaveLength(asked + 1);
  });

  it('gives its units back when it is closed, and refuses further calls', async () => {
    await askTimes(4);
    await store.close();
    expect(await leftThere()).toBe(996);
    await expect(ask()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });

  it('gives back units that arrive while it is closed', async () => {
    await askTimes(3);
    const answer = holdAnswers();
    const last = ask();
    await new Promise(setImmediate);
    const closed = store.close();
    answer();
    await Promise.all([last, closed]);
    shared.back = async () => {};
    expect(await leftThere()).toBe(996);
  });

  it('is closed when earlier units have been given back', async () => {
    await askTimes(4);
    shared.clock.advance('2s');
    const adjust = shared.adjust.bind(shared);
    let arrive = (): void => {};
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    shared.adjust = (change) => held.then(() => adjust(change));
    // Its slice is over, so the rest of the slice is being given back.
    await ask();
    let isClosed = false;
    const closed = store.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    arrive();
    await closed;
    expect(await leftThere()).toBe(995);
  });

  it('gives back a charge that is cancelled after its slice ended, at the time of the charge', async () => {
    const limiter = createLimiter<string, true>({ name: 'api', limit: THOUSAND, store });
    const reservation = await limiter.reserve('ann');
    await limiter.consume('ann');
    shared.clock.advance('2s');
    await limiter.consume('ann');
    await reservation.cancel();
    expect((await limiter.peek('ann')).tightest.remaining).toBe(998);
  });

  it('ends a slice with the window that it was taken from', async () => {
    const fixed = fixedWindow({ limit: 100, window: '500ms' });
    await askTimes(3, fixed);
    shared.clock.advance(500);
    const { verdicts } = await ask(fixed);
    expect(verdicts[0]).toMatchObject({ remaining: 99, resetAfterMs: 500 });
  });

  it('reports units that it spent, and that others hold, as used', async () => {
    const replies = await askTimes(50);
    expect(replies.map(({ verdicts }) => verdicts[0]?.used)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    await shared.consume({ checks: [check(THOUSAND, { cost: 100 })] });
    const { verdicts } = await store.consume({ checks: [check(THOUSAND)], peek: true });
    expect(verdicts[0]).toMatchObject({ used: 150, remaining: 850 });
  });

  it('includes its units in the state after a correction', async () => {
    const { atMs } = (await askTimes(5)).at(-1) as StoreResponse;
    const checks = [check(THOUSAND, { cost: -1 })];
    const { result, verdicts } = await store.adjust({ checks, atMs, id: 'a' });
    expect(result).toBe('applied');
    expect(verdicts).toMatchObject([{ limit: THOUSAND, cost: 1, allowed: true, used: 4, remaining: 996 }]);
    const again = await store.adjust({ checks, atMs, id: 'a' });
    expect(again).toEqual({ atMs: shared.clock.now(), result: 'repeated', verdicts });
  });

  it('shows no more than the limit after a refund of more than was spent', async () => {
    const { atMs } = (await askTimes(5)).at(-1) as StoreResponse;
    expect(await leftThere()).toBeLessThan(995);
    const { verdicts } = await store.adjust({ checks: [check(THOUSAND, { cost: -900 })], atMs });
    expect(verdicts).toMatchObject([{ limit: THOUSAND, used: 0, remaining: 1000 }]);
    const looked = await store.consume({ checks: [check(THOUSAND)], peek: true });
    expect(looked.verdicts).toMatchObject([{ used: 0, remaining: 1000 }]);
  });

  it('includes its units in a peek', async () => {
    await askTimes(4);
    const { verdicts } = await store.consume({ checks: [check(THOUSAND)], peek: true });
    expect(verdicts[0]).toMatchObject({ allowed: true, remaining: 996, limit: THOUSAND });
  });

  it('drops its units of a key that is reset', async () => {
    await askTimes(4);
    await store.reset([check(THOUSAND)]);
    const { verdicts } = await ask();
    expect(verdicts[0]?.remaining).toBe(999);
  });

  it('gives back its units of limits that are not reset', async () => {
    const everyone = check(THOUSAND, { name: 'all', key: 'everyone' });
    for (let i = 0; i < 4; i += 1) await store.consume({ checks: [check(THOUSAND), everyone] });
    await store.reset([check(THOUSAND)]);
    const { verdicts } = await shared.consume({ checks: [everyone], peek: true });
    expect(verdicts[0]?.remaining).toBe(996);
  });

  it('gives nothing back to a key that was reset before its slice arrived', async () => {
    await askTimes(3);
    const arrive = holdAnswers();
    const asked = [ask(), ask(), ask()];
    await new Promise(setImmediate);
    const reset = store.reset([check(THOUSAND)]);
    arrive();
    shared.back = async () => {};
    await Promise.all([...asked, reset]);
    await shared.consume({ checks: [check(THOUSAND, { cost: 10 })] });
    await store.close();
    // Two of the three waiting requests ask again.
    expect(await leftThere()).toBeLessThanOrEqual(990);
  });

  it.each<[what: string, meanwhile: () => unknown]>([
    ['was blocked', () => store.blocks?.block({ targets: [check(THOUSAND)], forMs: 'forever' })],
    ['was blocked, and is not any more', () => store.blocks?.unblock([check(THOUSAND)])],
    ['shares a request with another one that was reset', () => store.reset([check(THOUSAND, { name: 'other' })])],
  ])('gives back a slice that arrives when its key %s', async (_, meanwhile) => {
    const checks = [check(THOUSAND, { name: 'other' }), check(THOUSAND)];
    const spend = async (): Promise<boolean> => (await store.consume({ checks })).allowed;
    const admitted = [await spend(), await spend(), await spend()];
    const arrive = holdAnswers();
    const asked = [spend(), spend(), spend()];
    await new Promise(setImmediate);
    shared.back = async () => {};
    await meanwhile();
    arrive();
    admitted.push(...(await Promise.all(asked)));
    await store.close();
    await shared.blocks.unblock([check(THOUSAND)]);
    expect(await leftThere()).toBe(1000 - admitted.filter(Boolean).length);
  });

  it('spends a slice only with the numbers it was taken with', async () => {
    await askTimes(4);
    expect((await ask(slidingWindow({ limit: 3, window: '1m' }))).allowed).toBe(false);
    const asksBefore = shared.asks.length;
    // The same numbers in a new object, as a function of tiers makes one for each request.
    await ask(slidingWindow({ limit: 500, window: '1m' }));
    await Promise.all([1, 2, 3].map(() => ask(slidingWindow({ limit: 500, window: '1m' }))));
    await ask(slidingWindow({ limit: 500, window: '1m' }));
    expect(shared.asks.length).toBeLessThanOrEqual(asksBefore + 3);
  });

  it('takes slices for several limits together, all or none', async () => {
    const checks = [check(THOUSAND), check(slidingWindow({ limit: 5, window: '1h' }), { name: 'hourly' })];
    const replies: StoreResponse[] = [];
    for (let i = 0; i < 8; i += 1) replies.push(await store.consume({ checks }));
    expect(replies.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false, false]);
    await store.close();
    expect(await leftThere()).toBe(995);
  });

  it.each([
    ['of a cost of nothing', [check(THOUSAND, { cost: 0 })]],
    ['with different costs', [check(THOUSAND), check(THOUSAND, { name: 'other', cost: 2 })]],
    ['with a shadow', [check(THOUSAND), check(THOUSAND, { name: 'other', shadow: true })]],
    ['about limits that count refusals', [check(slidingWindow({ limit: 9, window: '1m', countRejected: true }))]],
    ['about limits that block', [check(slidingWindow({ limit: 9, window: '1m', blockDuration: '1m' }))]],
  ])('takes nothing in advance for asks %s', async (_, checks) => {
    for (let i = 0; i < 4; i += 1) await store.consume({ checks });
    expect(shared.asks.map((asked) => asked.checks.map(({ cost }) => cost))).toEqual(
      Array(4).fill(checks.map(({ cost }) => cost)),
    );
  });

  it.each([
    slidingWindowCounter({ limit: 9, window: '1m' }),
    leakyBucket({ capacity: 9, leakRate: 1 }),
    concurrency({ limit: 9, lease: '10s' }),
  ])('refuses to lease a $algorithm, with a clear error', async (limit) => {
    await expect(store.consume({ checks: [check(limit)], id: 'x' })).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
    });
    expect(shared.asks).toEqual([]);
  });

  it('refuses a bucket that refills within the lease', async () => {
    const quick = tokenBucket({ capacity: 10, refillRate: 10 });
    await expect(ask(quick)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'lease' });
    await expect(ask(tokenBucket({ capacity: 11, refillRate: 10 }))).resolves.toMatchObject({ allowed: true });
  });

  it.each([
    slidingWindowCounter({ limit: 9, window: '1m' }),
    leakyBucket({ capacity: 9, leakRate: 1 }),
    concurrency({ limit: 9, lease: '10s' }),
  ])('refuses a policy with a $algorithm when it is made', (limit) => {
    const policies = [{ limit }, { limits: [THOUSAND, { name: 'queue', limit, enforce: 0 }] }];
    for (const policy of policies)
      expect(() => createLimiter<string, true>({ ...policy, store })).toThrow(
        expect.objectContaining({ code: 'SLUICE_UNSUPPORTED', message: expect.stringContaining('cannot be leased') }),
      );
  });

  it('refuses a policy with a bucket that refills within the lease when it is made', () => {
    const make = (capacity: number) =>
      createLimiter<string, true>({ limit: tokenBucket({ capacity, refillRate: 10 }), store });
    expect(() => make(10)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'lease' }));
    expect(() => make(11)).not.toThrow();
  });

  it('keeps the old policy if the new one cannot be leased', async () => {
    const options = { limit: slidingWindow({ limit: 2, window: '1m' }), store };
    const limiter = createLimiter<string, true>(options);
    const unsupported = expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' });
    expect(() => replacePolicy(options, { limit: leakyBucket({ capacity: 9, leakRate: 1 }) })).toThrow(unsupported);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ allowed: true, tightest: { limit: { quota: 2 } } });
  });

  it('refuses only the requests for which a function chooses a limit that cannot be leased', async () => {
    const chosen = (user: string) => (user === 'ann' ? leakyBucket({ capacity: 9, leakRate: 1 }) : unlimited());
    const limiter = createLimiter<string, true>({ limits: [THOUSAND, { name: 'tier', limit: chosen }], store });
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    await expect(limiter.consume('bob')).resolves.toMatchObject({ allowed: true });
  });

  it('passes a failure to all requests that wait for the same slice', async () => {
    shared.back = () => Promise.reject(new Error('connection lost'));
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => ask()));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(shared.asks).toHaveLength(1);
    shared.back = async () => {};
    await expect(ask()).resolves.toMatchObject({ allowed: true });
  });

  it('rejects waiting requests on close, after the arriving slice is used up', async () => {
    const asked = Promise.allSettled(Array.from({ length: 30 }, () => ask(slidingWindow({ limit: 20, window: '1m' }))));
    await store.close();
    const outcomes = await asked;
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value.allowed)).toHaveLength(20);
  });

  it('gives back the charge that a limiter cancels', async () => {
    const limiter = createLimiter<string, true>({ limit: THOUSAND, store });
    const reservation = await limiter.reserve('ann');
    await reservation.cancel();
    await expect(limiter.peek('ann')).resolves.toMatchObject({ tightest: { remaining: 1000 } });
  });
});

describe('A leased store over a slow network', () => {
  const HUNDRED = slidingWindow({ limit: 100, window: '1m' });
  let network: RemoteMemory;
  let leased: LeasedStore;

  /**
   * One reply takes most of the deadline of a request, and two take more. The rest is for late timers on a slow
   * machine.
   */
  const [DEADLINE_MS, ANSWER_MS] = [4500, 3000] as const;

  beforeEach(() => {
    network = new RemoteMemory(new ManualClock(), DEADLINE_MS);
    leased = new LeasedStore({ busyFrom: 1, store: network });
  });

  afterEach(() => leased.close());

  const slow = async (): Promise<void> => {
    // By now it knows the store's time.
    await leased.consume({ checks: [check(THOUSAND, { key: 'bob' })], peek: true });
    network.there = () => new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  };

  it('decides all simultaneous requests for a cold key within the deadline, and admits the limit', async () => {
    await slow();
    const startMs = performance.now();
    const limiter = createLimiter<string, true>({ limit: HUNDRED, store: leased });
    const decisions = await Promise.all(Array.from({ length: 500 }, () => limiter.consume('ann')));
    expect(performance.now() - startMs).toBeLessThan(2 * ANSWER_MS);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']));
  });

  it('fails requests that would wait longer than for one reply, and keeps the late units', async () => {
    const first = leased.consume({ checks: [check(THOUSAND)] });
    await first;
    await slow();
    network.trouble = 'the cable is out';
    const second = leased.consume({ checks: [check(THOUSAND)] });
    await new Promise((resolve) => setTimeout(resolve, 50));
    // The slice that is on its way has no unit for this request.
    const third = leased.consume({ checks: [check(THOUSAND, { cost: 500 })] });
    const message = 'the store did not answer in time: the cable is out (SLUICE_STORE)';
    await expect(third).rejects.toMatchObject({ code: 'SLUICE_STORE', message });
    await expect(second).resolves.toMatchObject({ allowed: true });
    network.mend();
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    const calls = network.asks.length;
    await leased.consume({ checks: [check(THOUSAND, { cost: 500 })] });
    expect(network.asks).toHaveLength(calls);
  });

  it('refuses because of the first reply, even if the second does not arrive', async () => {
    await leased.consume({ checks: [check(HUNDRED, { key: 'bob' })] });
    // Another instance has spent all, which this one does not know.
    await network.memory.consume({ checks: [check(slidingWindow({ limit: 100, window: 61_000 }), { cost: 100 })] });
    let calls = 0;
    network.there = async () => {
      calls += 1;
      if (calls > 1) throw new Error('connection lost');
    };
    const replies = await Promise.all([1, 1].map(() => leased.consume({ checks: [check(HUNDRED)] })));
    expect(replies.map(({ allowed }) => allowed)).toEqual([false, false]);
    expect(replies[0]?.verdicts[0]?.retryAfterMs).toBeGreaterThan(60_000);
  });
});

/** Stays open when a holder closes it. */
class LastingMemory extends RemoteMemory {
  override async close(): Promise<void> {}
}

describe('A slice that arrives after its deadline', () => {
  const DEADLINE_MS = 150;
  let network: RemoteMemory;
  let leased: LeasedStore;

  beforeEach(async () => {
    network = new LastingMemory(new ManualClock(), DEADLINE_MS);
    leased = new LeasedStore({ busyFrom: 1, store: network });
  });

  afterEach(() => leased.close());

  const clock = (): ManualClock => network.clock as ManualClock;

  const spend = async (own = {}, store = leased): Promise<StoreResponse> =>
    store.consume({ checks: [check(THOUSAND, own)] });

  /** The units that are left where all holders count together. */
  const leftThere = (own = {}): number | undefined => {
    const strict = slidingWindow({ limit: 1000, window: 61_000 });
    return network.memory.consume({ checks: [check(strict, own)], peek: true }).verdicts[0]?.remaining;
  };

  /** Holds all replies from now on. The returned function delivers them. */
  function hold(): () => Promise<void> {
    let deliver = (): void => {};
    const delivered = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    network.back = () => delivered;
    return async () => {
      network.mend();
      deliver();
      for (let i = 0; i < 3; i += 1) await new Promise(setImmediate);
    };
  }

  /** Charges a slice of `units` and holds its reply. The request that asked for it has been told that it failed. */
  async function late(units: number, store = leased): Promise<() => Promise<void>> {
    // The first reply brings the store's time.
    await spend({ key: 'bob' }, store);
    const deliver = hold();
    const asked = await Promise.allSettled(Array.from({ length: units }, () => spend({}, store)));
    expect(asked.every(({ status }) => status === 'rejected')).toBe(true);
    // The waiting requests are given up one by one, and the request itself last.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(leftThere()).toBe(1000 - units);
    return deliver;
  }

  it('is spent by later requests without a request', async () => {
    const deliver = await late(5);
    await deliver();
    const calls = network.asks.length;
    const replies = [];
    for (let i = 0; i < 5; i += 1) replies.push(await spend());
    expect(replies.map(({ allowed, verdicts }) => [allowed, verdicts[0]?.remaining])).toEqual(
      [999, 998, 997, 996, 995].map((remaining) => [true, remaining]),
    );
    expect(network.asks).toHaveLength(calls);
  });

  it('is spent by requests that wait for another slice', async () => {
    const deliver = await late(5);
    const next = hold();
    const waiting = spend();
    await new Promise(setImmediate);
    await deliver();
    await expect(waiting).resolves.toMatchObject({ allowed: true });
    await next();
    await leased.close();
    expect(leftThere()).toBe(999);
  });

  it('is spent by a request that asked for another slice, which is given back', async () => {
    const deliver = await late(5);
    // Timers fire up to a millisecond early. Here the stopwatch is behind by that much for the rest of the test.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      const next = hold();
      const waiting = spend();
      await new Promise(setImmediate);
      await deliver();
      await expect(waiting).resolves.toMatchObject({ allowed: true });
      await next();
      await leased.close();
      expect(leftThere()).toBe(999);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('is spent no longer than a lease after it was asked for, and then given back', async () => {
    const deliver = await late(5);
    clock().advance(600);
    await deliver();
    expect((await spend()).allowed).toBe(true);
    clock().advance(400);
    const calls = network.asks.length;
    expect((await spend()).allowed).toBe(true);
    expect(network.asks).toHaveLength(calls + 1);
    await leased.close();
    expect(leftThere()).toBe(998);
  });

  it('is given back if its lease has ended', async () => {
    const deliver = await late(5);
    clock().advance(1500);
    await deliver();
    await clock().untilSleeping(1);
    clock().advance('1s');
    await new Promise(setImmediate);
    expect(leftThere()).toBe(1000);
  });

  it('is given back if the holder has a larger one by then', async () => {
    const deliver = await late(2);
    network.back = async () => {};
    await Promise.all(Array.from({ length: 8 }, () => spend()));
    await spend();
    await deliver();
    await leased.close();
    expect(leftThere()).toBe(991);
  });

  it('is not given back to a key that was reset meanwhile', async () => {
    const deliver = await late(5);
    network.back = async () => {};
    await leased.reset([check(THOUSAND)]);
    await network.memory.consume({ checks: [check(slidingWindow({ limit: 1000, window: 61_000 }), { cost: 10 })] });
    await deliver();
    await leased.close();
    expect(leftThere()).toBe(990);
  });

  it('is also spent if its node is one of several', async () => {
    const sharded = new LeasedStore({ busyFrom: 1, store: new ShardedStore({ nodes: { only: network } }) });
    const deliver = await late(5, sharded);
    await deliver();
    const calls = network.asks.length;
    for (let i = 0; i < 5; i += 1) expect((await spend({}, sharded)).allowed).toBe(true);
    expect(network.asks).toHaveLength(calls);
    await sharded.close();
  });
});

describe('Units that a leased store cannot give back', () => {
  /** A store with seven charged units, four of them spent. It cannot be reached when the lease ends. */
  async function cutOff(): Promise<{ network: RemoteMemory; leased: LeasedStore; left: () => number | undefined }> {
    const network = new LastingMemory(new ManualClock(), 1000);
    const leased = new LeasedStore({ busyFrom: 1, store: network });
    for (let i = 0; i < 4; i += 1) await leased.consume({ checks: [check(THOUSAND)] });
    network.cut();
    await nextRound(network);
    const strict = slidingWindow({ limit: 1000, window: 61_000 });
    const left = () => network.memory.consume({ checks: [check(strict)], peek: true }).verdicts[0]?.remaining;
    expect(left()).toBe(993);
    return { network, leased, left };
  }

  async function nextRound({ clock }: RemoteMemory): Promise<void> {
    await (clock as ManualClock).untilSleeping(1);
    (clock as ManualClock).advance('1s');
    for (let i = 0; i < 5; i += 1) await new Promise(setImmediate);
  }

  it('are given back when the store has recovered', async () => {
    const { network, leased, left } = await cutOff();
    await nextRound(network);
    network.mend();
    await nextRound(network);
    expect(left()).toBe(996);
    await leased.close();
  });

  it('are given back once, even if only the reply was lost', async () => {
    const { network, leased, left } = await cutOff();
    network.mend();
    network.back = () => Promise.reject(new Error('connection lost'));
    await nextRound(network);
    expect(left()).toBe(996);
    network.mend();
    await nextRound(network);
    expect(left()).toBe(996);
    await leased.close();
  });

  it('are not given back to a key that was reset meanwhile', async () => {
    const { network, leased, left } = await cutOff();
    network.mend();
    await leased.reset([check(THOUSAND)]);
    await leased.consume({ checks: [check(THOUSAND, { cost: 10 })] });
    await nextRound(network);
    await leased.close();
    expect(left()).toBe(990);
  });

  it('expire after a minute', async () => {
    const { network, leased, left } = await cutOff();
    (network.clock as ManualClock).advance('59s');
    await nextRound(network);
    network.mend();
    await nextRound(network);
    (network.clock as ManualClock).set(network.clock.now() - 10_000);
    expect(left()).toBe(993);
    await leased.close();
  });
});

it.each([
  [{}, 'store'],
  [{ store: {} }, 'store'],
  [{ store: new SyncedStore({ store: new SharedStore() }) }, 'store'],
  [{ store: new SharedStore(), lease: 9 }, 'lease'],
  [{ store: new SharedStore(), leaseMs: 50 }, 'leaseMs'],
])('A leased store refuses the options %p', (options, path) => {
  expect(() => new LeasedStore(options as never)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path }));
});
