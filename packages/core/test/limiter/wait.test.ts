import { beforeEach, describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, leakyBucket, type MemoryStore, slidingWindow, tokenBucket } from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { manualStore, settled, sleepsOf } from '@sluice/test-kit/manual-store';
import type { ManualClock } from '../../src/testing/manual-clock.js';

describe('wait', () => {
  let clock: ManualClock;
  let store: MemoryStore;

  beforeEach(() => {
    ({ clock, store } = manualStore());
  });

  it('resolves without a sleep if there is room', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    await expect(limiter.wait('ann')).resolves.toMatchObject({ allowed: true, delayMs: 0, tightest: { remaining: 0 } });
  });

  it('sleeps until the retry, and tries again as long as others are faster', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    const waiting = limiter.wait('ann');
    await clock.untilSleeping(1);
    clock.advance('59999ms');
    await settled();
    clock.advance(1);
    limiter.consume('ann');
    await clock.untilSleeping(1);
    expect(limiter.peek('ann').allowed).toBe(false);
    clock.advance('1m');
    await expect(waiting).resolves.toMatchObject({ allowed: true });
  });

  it("spends the request's cost, and returns a reservation that can be corrected", async () => {
    const limiter = createLimiter({ limit: 10, window: '1m', store });
    const reservation = await limiter.wait('ann', { cost: 6 });
    reservation.settle(2);
    expect(limiter.peek('ann').tightest.remaining).toBe(8);
  });

  it('sleeps through the delay of a leaky bucket, so that departures are evenly spaced', async () => {
    const limiter = createLimiter({ limit: leakyBucket({ capacity: 3, leakRate: 2 }), store });
    const startMs = clock.now();
    const departures: number[] = [];
    const all = [1, 2, 3].map(async () => {
      await limiter.wait('ann');
      departures.push(clock.now() - startMs);
    });
    await settled();
    for (let i = 0; i < 3; i += 1) {
      clock.advance('500ms');
      await settled();
    }
    await Promise.all(all);
    expect(departures).toEqual([0, 500, 1000]);
  });

  it('resolves with the refusal at once if the retry is later than maxWait', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    const refused = await limiter.wait('ann', { maxWait: '59s' });
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
    const waiting = limiter.wait('ann', { maxWait: '1m' });
    await clock.untilSleeping(1);
    clock.advance('1m');
    await expect(waiting).resolves.toMatchObject({ allowed: true });
  });

  it('counts maxWait from its start, over all retries', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    const waiting = limiter.wait('ann', { maxWait: '90s' });
    await clock.untilSleeping(1);
    clock.advance('1m');
    limiter.consume('ann');
    await expect(waiting).resolves.toMatchObject({ allowed: false, retryAfterMs: 60_000 });
  });

  it('asks once with a maxWait of 0', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    await expect(limiter.wait('ann', { maxWait: 0 })).resolves.toMatchObject({ allowed: true });
    await expect(limiter.wait('ann', { maxWait: 0 })).resolves.toMatchObject({ allowed: false });
  });

  it('takes no place in a leaky bucket if its turn would come after maxWait', async () => {
    const queue = leakyBucket({ capacity: 5, leakRate: 1 });
    const limiter = createLimiter({ limits: [queue, slidingWindow({ limit: 9, window: '1m' })], store });
    limiter.consume('ann');
    limiter.consume('ann');
    await expect(limiter.wait('ann', { maxWait: '1500ms' })).resolves.toMatchObject({
      allowed: false,
      retryAfterMs: 500,
      delayMs: 0,
      tightest: { name: 'queue', allowed: false, retryAfterMs: 500 },
      verdicts: [
        { name: 'queue', allowed: false },
        { name: 'per-1m', allowed: true },
      ],
    });
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 3 }, { remaining: 7 }]);
    const waiting = limiter.wait('ann', { maxWait: '2s' });
    await clock.untilSleeping(1);
    clock.advance('2s');
    await expect(waiting).resolves.toMatchObject({ allowed: true, delayMs: 2000 });
  });

  it('names only the limits whose turn would come after maxWait', async () => {
    const queues = ['soon', 'late'].map((name, i) => ({ name, ...leakyBucket({ capacity: 5, leakRate: 2 - i }) }));
    const limiter = createLimiter({ limits: queues, store });
    for (const _place of [1, 2]) limiter.consume('ann');
    const { verdicts } = await limiter.wait('ann', { maxWait: '1s' });
    expect(verdicts).toMatchObject([
      { name: 'soon', allowed: true, delayMs: 1000 },
      { name: 'late', allowed: false, retryAfterMs: 1000 },
    ]);
  });

  it('takes no place in a leaky bucket that is its only limit if its turn would come after maxWait', async () => {
    const limiter = createLimiter({ limit: leakyBucket({ capacity: 5, leakRate: 1 }), store });
    for (const _place of [1, 2]) limiter.consume('ann');
    expect(await limiter.wait('ann', { maxWait: '1500ms' })).toMatchObject({ allowed: false, retryAfterMs: 500 });
    expect(limiter.peek('ann').tightest.remaining).toBe(3);
  });

  it.each([
    ['at once', () => manualStore().store],
    ['by promises', () => new AsyncStore()],
  ])(
    'respects maxWait if several requests come to a leaky bucket together, over a store that answers %s',
    async (_, make) => {
      const store = make();
      const limiter = createLimiter({ limit: leakyBucket({ capacity: 9, leakRate: 1 }), store });
      const all = Promise.all([1, 2, 3, 4].map(() => limiter.wait('ann', { maxWait: '1s' })));
      await settled();
      (store.clock as ManualClock).advance('1s');
      expect((await all).map(({ allowed }) => allowed)).toEqual([true, true, false, false]);
    },
  );

  it.each([
    ['a cost above the limit', { cost: 2 }],
    ['a limit of 0', { limit: 0 }],
  ])('resolves with the refusal if it would never end: %s', async (_, options) => {
    const limiter = createLimiter({ limit: 1, window: '1m', store, ...options });
    await expect(limiter.wait('ann')).resolves.toMatchObject({ allowed: false, retryAfterMs: 'never' });
  });

  it('that resolved with a refusal has nothing to correct', async () => {
    const limiter = createLimiter({ limit: tokenBucket({ capacity: 1, refillRate: 0 }), store });
    limiter.consume('ann');
    const refused = await limiter.wait('ann');
    refused.cancel();
    expect(limiter.peek('ann').tightest.remaining).toBe(0);
  });

  const reason = new Error('the client went away');

  it('rejects with the reason of a signal that was aborted before, and asks nothing', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    await expect(limiter.wait('ann', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
  });

  it('rejects with the reason of a signal that aborts while it waits for a retry, and leaves no sleep behind', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    limiter.consume('ann');
    const abort = new AbortController();
    const waiting = limiter.wait('ann', { signal: abort.signal });
    await clock.untilSleeping(1);
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    clock.advance('1m');
    await settled();
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
  });

  it('gives granted units and slots back if the signal aborts during the delay', async () => {
    const limiter = createLimiter({
      limits: [
        leakyBucket({ capacity: 5, leakRate: 1 }),
        concurrency({ limit: 5, lease: '30s' }),
        slidingWindow({ limit: 5, window: '1m' }),
      ],
      store,
    });
    await limiter.wait('ann');
    const abort = new AbortController();
    const waiting = limiter.wait('ann', { signal: abort.signal });
    await clock.untilSleeping(2);
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(limiter.peek('ann').verdicts).toMatchObject([{ remaining: 3 }, { remaining: 4 }, { remaining: 4 }]);
  });

  it('gives granted units back if the signal aborts while the store is asked', async () => {
    const remote = new AsyncStore(clock);
    const limiter = createLimiter({ limit: 5, window: '1m', store: remote });
    const abort = new AbortController();
    const waiting = limiter.wait('ann', { signal: abort.signal });
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect((await limiter.peek('ann')).tightest.remaining).toBe(5);
  });

  it('also rejects if the store then refuses forever', async () => {
    const limiter = createLimiter({ limit: 0, window: '1m', store: new AsyncStore(clock) });
    const abort = new AbortController();
    const waiting = limiter.wait('ann', { signal: abort.signal });
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('waits for a slot', async () => {
    const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: '30s' }), store });
    const first = limiter.reserve('ann');
    const waiting = limiter.wait('ann');
    await clock.untilSleeping(2);
    first.settle();
    clock.advance('30s');
    const second = await waiting;
    expect(second.allowed).toBe(true);
    second.settle();
  });

  it('allows a skipped request at once', async () => {
    const limiter = createLimiter({ limit: 0, window: '1m', skip: () => true, store });
    await expect(limiter.wait('ann', { maxWait: 0 })).resolves.toMatchObject({ allowed: true });
  });

  it.each<[options: object, path: string]>([
    [{ maxWait: -1 }, 'maxWait'],
    [{ maxWait: 'soon' }, 'maxWait'],
    [{ timeout: 5 }, 'timeout'],
  ])('rejects wrong options: %p', async (options, path) => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    await expect(limiter.wait('ann', options)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path });
  });

  it('rejects with the errors of consume', async () => {
    const limiter = createLimiter({ limit: 1, window: '1m', store });
    await expect(limiter.wait('ann', { cost: -1 })).rejects.toMatchObject({ code: 'SLUICE_COST' });
  });

  describe('for a slot', () => {
    const one = () => createLimiter({ limit: concurrency({ limit: 1, lease: '30s' }), store });

    it('continues as soon as one is freed in this process, long before a lease ends', async () => {
      const limiter = one();
      const held = limiter.reserve('ann');
      const waiting = limiter.wait('ann');
      await clock.untilSleeping(2);
      held.settle();
      const next = await waiting;
      expect(next.allowed).toBe(true);
      next.settle();
    });

    it('continues at once if one is freed between the ask and the refusal', async () => {
      for (const over of [store, new AsyncStore(clock)]) {
        const limiter = createLimiter({ name: 'between', limit: concurrency({ limit: 1, lease: '30s' }), store: over });
        const held = await limiter.reserve('ann');
        const waiting = limiter.wait('ann');
        await held.settle();
        const next = await waiting;
        expect(next.allowed).toBe(true);
        await next.settle();
      }
    });

    it('asks again after a second for one that was freed elsewhere', async () => {
      const limiter = one();
      const check = {
        policy: 'default',
        name: 'concurrency',
        key: 'ann',
        limit: concurrency({ limit: 1, lease: '30s' }),
        cost: 1,
      };
      store.consume({ checks: [check], id: 'elsewhere' });
      const waiting = limiter.wait('ann');
      await clock.untilSleeping(1);
      store.adjust({ checks: [{ ...check, cost: -1 }], id: 'elsewhere' });
      clock.advance('1s');
      expect((await waiting).allowed).toBe(true);
    });

    it('lasts as long as maxWait, even if the lease is longer, and leaves no sleep behind', async () => {
      const sleeping = sleepsOf(clock);
      const limiter = one();
      const held = limiter.reserve('ann');
      const waiting = limiter.wait('ann', { maxWait: '1500ms' });
      await clock.untilSleeping(2);
      clock.advance('1s');
      await clock.untilSleeping(2);
      clock.advance(500);
      await expect(waiting).resolves.toMatchObject({ allowed: false });
      held.cancel();
      expect(sleeping()).toEqual([]);
    });

    it('ends with the reason of a signal that aborts', async () => {
      const limiter = one();
      limiter.reserve('ann');
      const abort = new AbortController();
      const waiting = limiter.wait('ann', { signal: abort.signal });
      await clock.untilSleeping(2);
      const reason = new Error('enough');
      abort.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    });
  });
});
