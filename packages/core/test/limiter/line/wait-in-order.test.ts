import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Consumed,
  concurrency,
  createLimiter,
  everyone,
  fixedWindow,
  type Limit,
  type MemoryStore,
  type Store,
  type StoreRequest,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { manualStore, settled, sleepsOf } from '@sluice/test-kit/manual-store';
import type { ManualClock } from '../../../src/testing/manual-clock.js';

/** Counts how often a store is asked to spend. */
function asksOf(store: Store): () => number {
  let asks = 0;
  const consume = store.consume.bind(store);
  store.consume = (ask: StoreRequest): Consumed => {
    if (!ask.peek) asks += 1;
    return consume(ask);
  };
  return () => asks;
}

/** Moves the clock until a condition is met. */
async function advanceUntil(clock: ManualClock, isMet: () => boolean, byMs = 10): Promise<void> {
  for (let i = 0; i < 100_000 && !isMet(); i += 1) {
    await settled();
    clock.advance(byMs);
    await settled();
  }
}

const STORES: readonly [string, () => Store & { clock: ManualClock }][] = [
  ['at once', () => manualStore().store as MemoryStore & { clock: ManualClock }],
  ['by promises', () => new AsyncStore()],
];

describe('callers that wait for one key', () => {
  it.each<[string, string, () => Store & { clock: ManualClock }, Limit]>(
    STORES.flatMap(([answers, make]) => [
      [answers, 'a bucket', make, tokenBucket({ capacity: 10, refillRate: 10 })],
      [answers, 'a window', make, slidingWindow({ limit: 10, window: '1s' })],
      [answers, 'a fixed window', make, fixedWindow({ limit: 10, window: '1s' })],
    ]),
  )(
    'ask little more than once each, and come in order, over a store that answers %s: %s',
    async (_, __, make, limit) => {
      const store = make();
      const asks = asksOf(store);
      const startMs = store.clock.now();
      const limiter = createLimiter({ limit, store });
      const order: number[] = [];
      for (let i = 0; i < 200; i += 1) void limiter.wait('ann').then(() => order.push(i));
      await advanceUntil(store.clock, () => order.length === 200);
      expect(order).toEqual(Array.from({ length: 200 }, (_, i) => i));
      expect(asks()).toBeLessThanOrEqual(420);
      // As fast as without others: the first ten at once, then ten in each second.
      expect(store.clock.now() - startMs).toBeLessThanOrEqual(19_020);
    },
  );

  it('ask at most twice each if a decision does not say how long the next one takes', async () => {
    const { clock, store } = manualStore();
    const inexact = Object.assign(store, { supports: { atomicAcrossKeys: true, exact: false as const } });
    const asks = asksOf(inexact);
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 10, refillRate: 10 }), store: inexact });
    let done = 0;
    for (let i = 0; i < 200; i += 1) void limiter.wait('ann').then(() => (done += 1));
    await advanceUntil(clock, () => done === 200);
    expect(asks()).toBeLessThanOrEqual(420);
  });

  it('also come as soon as possible if a tolerance admits them before the limit does', async () => {
    const { clock, store } = manualStore();
    const limiter = createLimiter({ limit: 10, window: '1m', tolerance: 0.5, store });
    const all = Promise.all(Array.from({ length: 15 }, () => limiter.wait('ann')));
    expect((await all).every(({ allowed }) => allowed)).toBe(true);
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
  });
});

describe('a caller that waits', () => {
  let clock: ManualClock;
  let store: MemoryStore;
  const order: string[] = [];

  beforeEach(() => {
    ({ clock, store } = manualStore());
    order.length = 0;
  });

  const note = (name: string, waiting: Promise<{ allowed: boolean }>): void =>
    void waiting.then(
      ({ allowed }) => order.push(allowed ? name : `${name} refused`),
      () => order.push(`${name} ended`),
    );

  it('is not overtaken by cheaper ones behind it', async () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 5, refillRate: 1 }), store });
    limiter.consume('ann', { cost: 5 });
    note('dear', limiter.wait('ann', { cost: 5 }));
    note('cheap', limiter.wait('ann'));
    for (let i = 0; i < 4; i += 1) {
      clock.advance('1s');
      await settled();
    }
    expect(order).toEqual([]);
    clock.advance('1s');
    await settled();
    expect(order).toEqual(['dear']);
    clock.advance('1s');
    await settled();
    expect(order).toEqual(['dear', 'cheap']);
  });

  it('lets those behind it go on at once when it gives up', async () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 5, refillRate: 1 }), store });
    limiter.consume('ann', { cost: 4 });
    const abort = new AbortController();
    note('dear', limiter.wait('ann', { cost: 5, signal: abort.signal }));
    note('cheap', limiter.wait('ann'));
    await settled();
    expect(order).toEqual([]);
    abort.abort();
    await settled();
    expect(order).toEqual(['dear ended', 'cheap']);
  });

  it('does not hold up others when it is refused because of its maxWait', async () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 5, refillRate: 1 }), store });
    limiter.consume('ann', { cost: 4 });
    note('dear', limiter.wait('ann', { cost: 5, maxWait: '1s' }));
    note('cheap', limiter.wait('ann'));
    await settled();
    expect(order).toEqual(['dear refused', 'cheap']);
  });

  it('is refused at once if those before it are certainly too late for it', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    note('first', limiter.wait('ann'));
    const late = await limiter.wait('ann', { maxWait: '30s' });
    expect(late).toMatchObject({ allowed: false, retryAfterMs: 60_000, tightest: { cost: 1, allowed: false } });
    clock.advance('1m');
    await settled();
    expect(order).toEqual(['first']);
  });

  it('is refused after its maxWait if those before it took all room', async () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 1, refillRate: 1 }), store });
    limiter.consume('ann');
    for (const name of ['a', 'b', 'c', 'd']) note(name, limiter.wait('ann', { maxWait: '2s' }));
    for (let i = 0; i < 3; i += 1) {
      clock.advance('1s');
      await settled();
    }
    expect(order).toEqual(['a', 'b', 'c refused', 'd refused']);
  });

  it('that can never be admitted is refused at once, whoever waits before it', async () => {
    const limiter = createLimiter({ limit: 2, window: '1m', store });
    limiter.consume('ann', { cost: 2 });
    note('first', limiter.wait('ann'));
    expect(await limiter.wait('ann', { cost: 3 })).toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it('waits for no other key', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    note('ann', limiter.wait('ann'));
    expect((await limiter.wait('bob')).allowed).toBe(true);
    expect(order).toEqual([]);
  });

  it('waits with all others if a limit of everyone has no room, and alone if its own has none', async () => {
    const limiter = createLimiter<string>({
      limits: [
        { name: 'own', limit: slidingWindow({ limit: 1, window: '1m' }) },
        { name: 'all', limit: tokenBucket({ capacity: 2, refillRate: 1 }), keyGenerator: everyone() },
      ],
      store,
    });
    const asks = asksOf(store);
    for (const name of ['ann', 'ann', 'bob', 'cat', 'dan']) note(name, limiter.wait(name));
    await settled();
    // Ann's second was refused. Cat and Dan know from Bob that there is no room.
    expect([order, asks()]).toEqual([['ann', 'bob'], 3]);
    clock.advance('1s');
    await settled();
    expect(order).toEqual(['ann', 'bob', 'cat']);
    clock.advance('1s');
    await settled();
    expect(order).toEqual(['ann', 'bob', 'cat', 'dan']);
    clock.advance('58s');
    await settled();
    expect(order).toEqual(['ann', 'bob', 'cat', 'dan', 'ann']);
  });

  it('is not held up by a class of requests that has to leave units free', async () => {
    const limiter = createLimiter<string>({
      limit: 10,
      window: '1m',
      headroom: { low: 0.5 },
      priority: (subject) => (subject === 'low' ? 'low' : 'critical'),
      keyGenerator: everyone(),
      store,
    });
    for (let i = 0; i < 5; i += 1) limiter.consume('low');
    note('low', limiter.wait('low'));
    note('critical', limiter.wait('critical'));
    await settled();
    expect(order).toEqual(['critical']);
  });

  it('takes a slot as soon as one is freed, each freed slot wakes only its key', async () => {
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: '30s' }), store });
    const held = { ann: limiter.reserve('ann'), bob: limiter.reserve('bob') };
    note('ann', limiter.wait('ann'));
    note('ann', limiter.wait('ann'));
    note('bob', limiter.wait('bob'));
    await settled();
    const asks = asksOf(store);
    held.bob.settle();
    await settled();
    expect([order, asks()]).toEqual([['bob'], 1]);
    held.ann.settle();
    await settled();
    expect(order).toEqual(['bob', 'ann']);
  });

  it('rejects if the store is closed, and leaves no sleep behind', async () => {
    const sleeping = sleepsOf(clock);
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    const all = [limiter.wait('ann'), limiter.wait('ann', { maxWait: '2m' })];
    await settled();
    store.close();
    for (const waiting of all) await expect(waiting).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(sleeping()).toEqual([]);
  });

  it('rejects with the error of a function of the policy, and holds nobody up', async () => {
    let isBroken = false;
    const limiter = createLimiter({
      limit: tokenBucket({ capacity: 1, refillRate: 1 }),
      keyGenerator: (subject: string) => {
        if (isBroken) throw new Error('broken');
        return subject;
      },
      store,
    });
    limiter.consume('ann');
    const first = limiter.wait('ann');
    note('second', limiter.wait('ann'));
    isBroken = true;
    first.catch(() => {
      isBroken = false;
    });
    clock.advance('1s');
    await expect(first).rejects.toThrow('broken');
    clock.advance('1s');
    await settled();
    expect(order).toEqual(['second ended']);
  });
});

describe('10,000 callers that give up together', () => {
  it.each(['one signal', 'signals of their own'])('leave no timer and no listener behind: %s', async (signals) => {
    const { clock, store } = manualStore();
    const sleeping = sleepsOf(clock);
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    const one = new AbortController();
    const aborts = Array.from({ length: 10_000 }, () => (signals === 'one signal' ? one : new AbortController()));
    const reasons = Promise.all(
      aborts.map(({ signal }, i) =>
        limiter.wait(i % 2 ? 'ann' : 'bob', { cost: 1, signal, maxWait: '1h' }).then(
          () => 'admitted',
          (reason) => reason,
        ),
      ),
    );
    await settled();
    expect(sleeping()).toHaveLength(1);
    for (const abort of new Set(aborts)) abort.abort('enough');
    const ended = await reasons;
    expect(ended.filter((reason) => reason === 'enough')).toHaveLength(9_999);
    expect(sleeping()).toEqual([]);
  });
});
