import { describe, expect, it } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  createLine,
  fixedWindow,
  type Limit,
  MemoryStore,
  type PolicyOptions,
  policyMetrics,
  prepareReplacement,
  replacePolicy,
  type Store,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import { ownedBy } from '@sluice/core/values';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { manualStore, settled } from '@sluice/test-kit/manual-store';
import fc from 'fast-check';
import type { ManualClock } from '../../src/testing/manual-clock.js';
import { FragileStore } from './fragile-store.js';

type Options = PolicyOptions<[subject: string], false>;

const perMinute = (limit: number): Options => ({ name: 'api', limit, window: '1m' });

const ofSize: readonly (readonly [what: string, limitOf: (quota: number) => Limit])[] = [
  ['a sliding window', (limit) => slidingWindow({ limit, window: '1m' })],
  ['a sliding window counter', (limit) => slidingWindowCounter({ limit, window: '1m' })],
  ['a fixed window', (limit) => fixedWindow({ limit, window: '1m' })],
  ['a token bucket', (capacity) => tokenBucket({ capacity, refillRate: 0 })],
];

describe('replacePolicy', () => {
  it.each([
    [20, 13],
    [10, 3],
    [5, 0],
  ])('keeps what was spent: of 10, 7 are spent; of %p, %p are left', (limit, left) => {
    const { store } = manualStore();
    const options = { ...perMinute(10), store };
    const limiter = createLimiter(options);
    limiter.consume('ann', { cost: 7 });
    replacePolicy(options, perMinute(limit));
    expect(limiter.peek('ann').tightest).toMatchObject({ remaining: left, used: 7 });
    expect(limiter.consume('ann').allowed).toBe(left > 0);
  });

  it('applies to every limiter of the options, and to one with a key generator of its own', () => {
    const { store } = manualStore();
    const options = { ...perMinute(10), store, keyGenerator: (who: string) => who.toLowerCase() };
    const limiters = [createLimiter(options), createLimiter(options)];
    replacePolicy(options, perMinute(2));
    limiters[0]?.consume('Ann');
    limiters[1]?.consume('ann');
    expect(limiters.map((limiter) => limiter.consume('ANN').allowed)).toEqual([false, false]);
  });

  it('finds limiters by the owner that they were made with', () => {
    const owner = {};
    const options = { ...perMinute(10), store: manualStore().store };
    const limiter = createLimiter(options, owner);
    expect(() => replacePolicy(options, perMinute(1))).toThrow(expect.objectContaining({ path: 'owner' }));
    replacePolicy(owner, perMinute(1));
    expect([limiter.consume('ann').allowed, limiter.consume('ann').allowed]).toEqual([true, false]);
  });

  it('finds limiters by the owner that their options stand for', () => {
    const owner = {};
    const { store } = manualStore();
    const limiter = createLimiter(ownedBy({ ...perMinute(10), store }, owner));
    const other = createLimiter({ ...perMinute(10), store }, ownedBy({}, owner));
    replacePolicy(owner, perMinute(2));
    expect([limiter.consume('ann').allowed, other.consume('ann').allowed]).toEqual([true, true]);
    expect([limiter.consume('ann').allowed, other.consume('ann').allowed]).toEqual([false, false]);
  });

  it('does not see what was done to the options after the limiter was made', () => {
    const options: Options & { message?: string } = { ...perMinute(10), store: manualStore().store };
    const limiter = createLimiter(options);
    Object.assign(options, { message: 'for HTTP', keyGenerator: () => 'everybody', limits: [] });
    replacePolicy(options, perMinute(20));
    limiter.consume('ann');
    expect(limiter.peek('bob').tightest).toMatchObject({ used: 0, limit: { quota: 20 } });
  });

  it('can change algorithm, keys, costs, names and their number', () => {
    const { store } = manualStore();
    const options = { ...perMinute(1), store };
    const limiter = createLimiter(options);
    limiter.consume('ann');
    replacePolicy(options, {
      limits: [
        { limit: tokenBucket({ capacity: 5, refillRate: 0 }), name: 'burst', cost: 2 },
        { name: 'all', limit: 3, window: '1h', keyGenerator: () => 'everybody' },
      ],
    });
    expect(limiter.consume('ann').verdicts.map(({ name, remaining }) => [name, remaining])).toEqual([
      ['burst', 3],
      ['all', 2],
    ]);
    replacePolicy(options, perMinute(2));
    expect(limiter.consume('ann').verdicts).toMatchObject([{ name: 'api', remaining: 0 }]);
  });

  it.each<[what: string, options: object, path: string]>([
    ['a wrong number', { limit: -1, window: '1m' }, 'limit'],
    ['an unknown option', { limit: 1, windwo: '1m' }, 'windwo'],
    ['another name', { name: 'other', limit: 1, window: '1m' }, 'name'],
    ['another store', { limit: 1, window: '1m', store: new MemoryStore() }, 'store'],
    ['an option of HTTP', { limit: 1, window: '1m', statusCode: 503 }, 'statusCode'],
    ['no options', 7 as never, 'options'],
  ])('changes nothing for %s', (_, wrong, path) => {
    const options = { ...perMinute(2), store: manualStore().store };
    const limiter = createLimiter(options);
    expect(() => replacePolicy(options, wrong as Options)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
    expect(limiter.consume('ann').tightest.limit.quota).toBe(2);
  });

  it('changes nothing in a store that cannot count the new policy', () => {
    const store = new LeasedStore({ store: new AsyncStore() });
    const options: PolicyOptions<[string], true> = { name: 'api', limit: 5, window: '1m', store };
    createLimiter(options);
    const unfit = { limit: 5, window: '1m', tolerance: 0.1 } as const;
    expect(() => replacePolicy(options, unfit)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }));
  });

  it('changes several policies together, or none of them', () => {
    const [one, two] = [perMinute(1), perMinute(1)].map((options) => ({ ...options, store: manualStore().store }));
    const limiters = [one, two].map((options) => createLimiter(options as Options));
    const put = prepareReplacement(one as Options, perMinute(5));
    expect(() => prepareReplacement(two as Options, perMinute(-5))).toThrow();
    const quotas = () => limiters.map((limiter) => limiter.peek('ann').tightest.limit.quota);
    expect(quotas()).toEqual([1, 1]);
    put();
    expect(quotas()).toEqual([5, 1]);
  });
});

it('shows the limits of a new policy when it is in force, and not when it is only prepared', () => {
  const { store } = manualStore();
  const options = { ...perMinute(10), name: 'prepared', store };
  createLimiter(options);
  const shown = () =>
    policyMetrics()
      .find(({ policy }) => policy === 'prepared')
      ?.limits.map(({ name, limit, enforce }) => [name, limit?.quota, enforce]);
  const limits = [
    { name: 'prepared', limit: 3, window: '1m', enforce: 0.5 },
    { name: 'hour', limit: 9, window: '1h' },
  ] as const;
  const put = prepareReplacement(options, { limits });
  expect(shown()).toEqual([['prepared', 10, 1]]);
  put();
  expect(shown()).toEqual([
    ['prepared', 3, 0.5],
    ['hour', 9, 1],
  ]);
});

it('A limit that a replaced policy has no more has no numbers any more, and those that it keeps have theirs', () => {
  const minute = { name: 'minute', limit: 3, window: '1m' } as const;
  const options = {
    name: 'shortened',
    limits: [minute, { name: 'hour', limit: 9, window: '1h' } as const],
    store: manualStore().store,
  };
  createLimiter(options);
  replacePolicy(options, { limits: [minute, { name: 'day', limit: 20, window: '1d' }] });
  const limits = policyMetrics().find(({ policy }) => policy === 'shortened')?.limits;
  expect(limits?.map(({ name, limit }) => [name, limit?.quota])).toEqual([
    ['minute', 3],
    ['hour', undefined],
    ['day', 20],
  ]);
});

describe.each(ofSize)('A reservation under %s that was replaced', (_, limitOf) => {
  it.each([
    ['raised', 10, 100, 80],
    ['lowered', 100, 10, 8],
  ])('is corrected without losing what others spent meanwhile: %s', (_, from, to, spent) => {
    const { store } = manualStore();
    const options = { name: 'api', limit: limitOf(from), store };
    const limiter = createLimiter(options);
    const reservation = limiter.reserve('ann', { cost: 2 });
    replacePolicy(options, { limit: limitOf(to) });
    const used = (who: string) => limiter.peek(who).tightest.used;
    const before = limiter.charge('ann', { cost: spent }).tightest.used;
    reservation.settle(3);
    expect(used('ann')).toBe(before + 1);
    const other = limiter.reserve('bob', { cost: 2 });
    replacePolicy(options, { limit: limitOf(from) });
    const held = used('bob');
    other.cancel();
    expect(used('bob')).toBe(Math.max(0, held - 2));
  });
});

describe('A slot that is held while the policy is replaced', () => {
  it.each([
    ['a shorter', '30s', '3s'],
    ['a longer', '3s', '30s'],
  ])('stays held under %s lease, and is freed by its reservation', async (_, from, to) => {
    const { store, clock } = manualStore();
    const slot = (lease: string) => ({ name: 'jobs', limit: concurrency({ limit: 1, lease: lease as '3s' }) });
    const options = { ...slot(from), store };
    const limiter = createLimiter(options);
    const held = limiter.reserve('ann');
    replacePolicy(options, slot(to));
    for (let i = 0; i < 60; i += 1) {
      clock.advance('1s');
      await settled();
      expect(limiter.reserve('ann').allowed).toBe(false);
    }
    held.settle();
    expect(limiter.peek('ann').allowed).toBe(true);
    expect(policyMetrics().find(({ policy }) => policy === 'jobs')?.limits[0]?.slotsInUse).toBe(0);
  });

  it('counts against a smaller limit', () => {
    const options = { name: 'fewer', limit: concurrency({ limit: 3, lease: '30s' }), store: manualStore().store };
    const limiter = createLimiter(options);
    const held = [limiter.reserve('ann'), limiter.reserve('ann')];
    replacePolicy(options, { limit: concurrency({ limit: 1, lease: '30s' }) });
    held[0]?.settle();
    expect(limiter.peek('ann').allowed).toBe(false);
    held[1]?.settle();
    expect(limiter.peek('ann').allowed).toBe(true);
  });
});

describe.each([
  ['in memory', () => manualStore()],
  ['in a store that answers later', () => ({ store: new AsyncStore(), clock: undefined })],
])('Those who wait while the policy is replaced, %s', (_, make) => {
  const made = (): { store: Store; clock: ManualClock } => {
    const { store } = make();
    return { store, clock: store.clock as ManualClock };
  };

  it('are admitted at once if there is room now, in their order', async () => {
    const { store } = made();
    const options: PolicyOptions<[string]> = { name: 'waiting', limit: 1, window: '1h', store };
    const limiter = createLimiter(options);
    const order: number[] = [];
    for (let i = 0; i < 5; i += 1) void limiter.wait('ann').then(() => order.push(i));
    await settled();
    expect(order).toEqual([0]);
    replacePolicy(options, { limit: 4, window: '1h' });
    const late = limiter.wait('ann').then(() => order.push(9));
    await settled();
    expect(order).toEqual([0, 1, 2, 3]);
    replacePolicy(options, { limit: 6, window: '1h' });
    await late;
    expect(order).toEqual([0, 1, 2, 3, 4, 9]);
  });

  it('wait longer if the limit is lowered, and end when they have to', async () => {
    const { store, clock } = made();
    const options: PolicyOptions<[string]> = { name: 'lowered', limit: 2, window: '10s', store };
    const limiter = createLimiter(options);
    const line = createLine({ limiter, maxWait: '1m' });
    await limiter.consume('ann', { cost: 2 });
    const done: string[] = [];
    const gone = new AbortController();
    const aborted = line.run('ann', () => {}, { signal: gone.signal }).catch(() => done.push('gone'));
    const inTime = line.run('ann', () => done.push('in time'));
    await settled();
    replacePolicy(options, { limit: 1, window: '30s' });
    gone.abort();
    await aborted;
    for (let i = 0; i < 40 && done.length < 2; i += 1) {
      clock.advance('1s');
      await settled();
    }
    await inTime;
    expect(done).toEqual(['gone', 'in time']);
    expect(line.length).toBe(0);
  });

  it('are refused if the new limit can never admit them, and pass if they are skipped now', async () => {
    const { store } = made();
    const options: PolicyOptions<[string]> = { name: 'refused', limit: 3, window: '1h', store };
    const limiter = createLimiter(options);
    await limiter.consume('ann', { cost: 3 });
    const [large, small] = [limiter.wait('ann', { cost: 3 }), limiter.wait('bob', { cost: 3 })];
    await limiter.consume('bob', { cost: 0 });
    const third = limiter.wait('ann');
    await settled();
    expect((await small).allowed).toBe(true);
    replacePolicy(options, { limit: 2, window: '1h' });
    expect((await large).allowed).toBe(false);
    replacePolicy(options, { limit: 2, window: '1h', skip: () => true });
    expect((await third).allowed).toBe(true);
  });
});

it.each(['consume', 'peek', 'reserve', 'charge', 'refund'] as const)(
  'A policy that is replaced while a function of it is awaited decides about the call wholly: %s',
  async (verb) => {
    let tellCost = (_cost: number): void => {};
    const cost = new Promise<number>((resolve) => {
      tellCost = resolve;
    });
    const options: PolicyOptions<[subject: string]> = {
      name: 'api',
      limits: [
        { name: 'minute', limit: 10, window: '1m' },
        { name: 'hour', limit: 100, window: '1h', quotaUnit: 'pages' },
      ],
      cost: () => cost,
    };
    const limiter = createLimiter(options);
    const decision = limiter[verb]('ann');
    replacePolicy(options, { limits: [{ name: 'day', limit: 5, window: '1d' }] });
    tellCost(2);
    const told = (await decision).verdicts.map(({ name, quotaUnit }) => [name, quotaUnit]);
    expect(told).toEqual([
      ['minute', undefined],
      ['hour', 'pages'],
    ]);
  },
);

describe('A request whose store answers after the policy was replaced', () => {
  it('is decided by the old policy if it waits no longer, and waits under the new one if it does', async () => {
    const options: PolicyOptions<[string]> = { name: 'waits', limit: 1, window: '1h', store: new AsyncStore() };
    const limiter = createLimiter(options);
    await limiter.consume('ann');
    const [over, waiting] = [limiter.wait('ann', { maxWait: 0 }), limiter.wait('ann')];
    replacePolicy(options, { limit: 2, window: '1h' });
    const refused = await over;
    expect([refused.allowed, refused.tightest?.limit.quota]).toEqual([false, 1]);
    expect(await waiting).toMatchObject({ allowed: true, tightest: { limit: { quota: 2 } } });
  });

  it('is decided by the old policy wholly, with its names, and later ones by the new', async () => {
    const store = new FragileStore('by rejecting');
    const options: PolicyOptions<[string]> = { name: 'mixed', limits: [{ name: 'a', limit: 5, window: '1m' }], store };
    const limiter = createLimiter(options);
    const pending = limiter.reserve('ann');
    replacePolicy(options, {
      limits: [
        { name: 'b', limit: 7, window: '1m' },
        { name: 'c', limit: 9, window: '1m' },
      ],
    });
    const [old, now] = [await pending, await limiter.consume('ann')];
    expect(old.verdicts.map(({ name, limit }) => [name, limit.quota])).toEqual([['a', 5]]);
    expect(now.verdicts.map(({ name, limit }) => [name, limit.quota])).toEqual([
      ['b', 7],
      ['c', 9],
    ]);
    await expect(old.settle({ b: 2 })).rejects.toMatchObject({ path: 'settle.b' });
    await old.settle({ a: 2 });
  });
});

describe.each<[what: string, make: (store: Store<true>) => Store<true>]>([
  ['a leased store', (store) => new LeasedStore({ store, lease: '1s' })],
  ['a synced store', (store) => new SyncedStore({ store })],
])('Over %s', (_, make) => {
  it('never admits more than the largest limit in a window while limits change, and goes on with the last', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ limit: fc.constantFrom(8, 20, 40), asks: fc.nat(25) }), { minLength: 2, maxLength: 8 }),
        async (phases) => {
          const store = make(new AsyncStore());
          const options: PolicyOptions<[string]> = { name: 'api', limit: 20, window: '1m', store };
          const limiter = createLimiter(options);
          let admitted = 0;
          let largest = 20;
          for (const { limit, asks } of phases) {
            replacePolicy(options, { limit, window: '1m' });
            largest = Math.max(largest, limit);
            for (let i = 0; i < asks; i += 1) if ((await limiter.consume('ann')).allowed) admitted += 1;
          }
          expect(admitted).toBeLessThanOrEqual(largest);
          const refused = await limiter.consume('ann', { cost: 20 });
          expect(refused.verdicts[0]?.limit.quota).toBe(phases.at(-1)?.limit);
          await store.close();
        },
      ),
      { numRuns: 20, seed: 64 },
    );
  });
});
