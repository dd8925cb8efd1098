import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type Charge,
  chargeOf,
  concurrency,
  createLimiter,
  createLine,
  everyone,
  fixedWindow,
  type Line,
  leakyBucket,
  type MemoryStore,
  SluiceError,
  tokenBucket,
} from '@sluice/core';
import { AsyncStore } from '@sluice/test-kit/async-store';
import { manualStore, settled, sleepsOf } from '@sluice/test-kit/manual-store';
import type { ManualClock } from '../../../src/testing/manual-clock.js';

const later = async (): Promise<void> => {
  for (let i = 0; i < 3; i += 1) await settled();
};

describe('createLine', () => {
  let clock: ManualClock;
  let store: MemoryStore;
  const order: string[] = [];

  beforeEach(() => {
    ({ clock, store } = manualStore());
    order.length = 0;
  });

  /** One unit for all subjects, and another one each second. */
  const shared = () =>
    createLimiter<string>({ limit: tokenBucket({ capacity: 1, refillRate: 1 }), keyGenerator: everyone(), store });

  /** Notes when work runs, or why it does not. */
  const note = (line: Line<string>, subject: string, options?: Parameters<Line<string>['run']>[2], name = subject) =>
    void line
      .run(subject, () => order.push(name), options)
      .catch((error) => order.push(`${name}: ${error instanceof SluiceError ? error.code : error}`));

  it('runs work at once if there is room, and returns its result', async () => {
    const line = createLine({ limiter: shared() });
    await expect(line.run('ann', () => 'done')).resolves.toBe('done');
    expect([line.length, line.oldestMs]).toEqual([0, 0]);
  });

  it('says how much waits, and how long the oldest has waited', async () => {
    const line = createLine({ limiter: shared() });
    for (let i = 0; i < 3; i += 1) note(line, 'ann');
    await later();
    expect([line.length, line.oldestMs, order]).toEqual([2, 0, ['ann']]);
    clock.advance(999);
    expect([line.length, line.oldestMs]).toEqual([2, 999]);
    clock.advance(1);
    await later();
    expect([line.length, line.oldestMs, order]).toEqual([1, 1000, ['ann', 'ann']]);
  });

  it('serves one key out of 10,001 callers after at most one quantum', async () => {
    const line = createLine({ limiter: shared(), size: 20_000 });
    for (let i = 0; i < 10_000; i += 1) note(line, 'crowd');
    note(line, 'one');
    for (let i = 0; i < 3; i += 1) {
      clock.advance('1s');
      await later();
    }
    // The first is admitted at once, and the second one before the other key has come.
    expect(order).toEqual(['crowd', 'crowd', 'one', 'crowd']);
  });

  it.each([
    ['fair' as const, ['a', 'a', 'b', 'a', 'a']],
    ['fifo' as const, ['a', 'a', 'a', 'a', 'b']],
    ['newest' as const, ['a', 'b', 'a', 'a', 'a']],
  ])('serves keys in the order %s', async (by, expected) => {
    const line = createLine({ limiter: shared(), order: by });
    for (const key of ['a', 'a', 'a', 'a', 'b']) note(line, key);
    for (let i = 0; i < 4; i += 1) {
      clock.advance('1s');
      await later();
    }
    expect(order).toEqual(expected);
  });

  it('gives a key more by its weight', async () => {
    const line = createLine({ limiter: shared(), weight: (subject) => (subject === 'paid' ? 3 : 1) });
    for (let i = 0; i < 8; i += 1) for (const key of ['free', 'paid']) note(line, key);
    for (let i = 0; i < 8; i += 1) {
      clock.advance('1s');
      await later();
    }
    expect(order.slice(1).filter((key) => key === 'paid')).toHaveLength(6);
  });

  it('takes turns by the key that a function returns', async () => {
    const line = createLine({ limiter: shared(), keyGenerator: (subject) => subject.slice(0, 1) });
    for (const subject of ['a1', 'a2', 'a3', 'b1']) note(line, subject);
    for (let i = 0; i < 3; i += 1) {
      clock.advance('1s');
      await later();
    }
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('does not delay other keys if one is refused for a minute', async () => {
    const own = createLimiter({ limit: 1, window: '1m', store });
    const line = createLine({ limiter: own, order: 'fifo' });
    for (const key of ['ann', 'ann', 'bob', 'cat']) note(line, key);
    await later();
    expect([order, line.length]).toEqual([['ann', 'bob', 'cat'], 1]);
    clock.advance('1m');
    await later();
    expect(order).toEqual(['ann', 'bob', 'cat', 'ann']);
  });

  it('lets a key keep its turn if somebody else takes the units that it has waited for', async () => {
    const limiter = createLimiter<string>({
      limit: tokenBucket({ capacity: 3, refillRate: 1 }),
      keyGenerator: everyone(),
      store,
    });
    limiter.consume('others', { cost: 3 });
    const line = createLine({ limiter });
    note(line, 'dear', { cost: 3 });
    note(line, 'cheap', { cost: 1 });
    await later();
    clock.advance(2999);
    limiter.consume('others', { cost: 1 });
    clock.advance(1);
    await later();
    expect(order).toEqual([]);
    clock.advance('1s');
    await later();
    expect(order).toEqual(['dear']);
    clock.advance('1s');
    await later();
    expect(order).toEqual(['dear', 'cheap']);
  });

  it('does not let a key that is refused by its own limit, too, hold up cheaper work of others', async () => {
    const limiter = createLimiter<string>({
      limits: [
        { name: 'own', limit: tokenBucket({ capacity: 2, refillRate: 0.01 }) },
        { name: 'all', limit: tokenBucket({ capacity: 3, refillRate: 1 }), keyGenerator: everyone() },
      ],
      store,
    });
    const line = createLine({ limiter });
    note(line, 'ann', { cost: 2 });
    note(line, 'ann', { cost: 2 });
    await later();
    note(line, 'bob', { cost: 1 });
    await later();
    expect(order).toEqual(['ann', 'bob']);
  });

  describe('that is full', () => {
    it('refuses at once, with the time when there is a place again', async () => {
      const line = createLine({ limiter: shared(), size: 2 });
      for (const name of ['a', 'b', 'c']) note(line, name);
      await later();
      clock.advance(400);
      const error = await line.run('d', () => 'done').catch((reason) => reason);
      expect(error).toBeInstanceOf(SluiceError);
      expect(error).toMatchObject({ code: 'SLUICE_REFUSED', retryAfterMs: 600 });
      clock.advance(600);
      await later();
      note(line, 'd');
      await later();
      expect([order, line.length]).toEqual([['a', 'b'], 2]);
    });

    it('admits a key that need not wait', async () => {
      const line = createLine({ limiter: createLimiter({ limit: 1, window: '1m', store }), size: 1 });
      for (const name of ['ann', 'ann']) note(line, name);
      await expect(line.run('bob', () => 'done')).resolves.toBe('done');
      await expect(line.run('ann', () => 'done')).rejects.toMatchObject({ retryAfterMs: 60_000 });
    });

    it('has room for other keys if only one has as many as it may', async () => {
      const line = createLine({ limiter: shared(), perKey: 1 });
      for (const name of ['a', 'a', 'a', 'b']) note(line, name);
      await later();
      expect([order, line.length]).toEqual([['a', 'a: SLUICE_REFUSED'], 2]);
    });

    it("drops the oldest in the order 'newest'", async () => {
      const line = createLine({ limiter: shared(), size: 2, order: 'newest' });
      for (const name of ['a', 'b', 'c', 'd']) note(line, name);
      await later();
      expect([order, line.length]).toEqual([['a', 'b: SLUICE_REFUSED'], 2]);
      clock.advance('1s');
      await later();
      expect(order.at(-1)).toBe('d');
    });

    it("drops the oldest of the key in the order 'newest'", async () => {
      const line = createLine({ limiter: shared(), perKey: 1, order: 'newest' });
      for (const [key, name] of [
        ['a', 'a1'],
        ['b', 'b1'],
        ['a', 'a2'],
        ['a', 'a3'],
      ] as const)
        note(line, key, {}, name);
      await later();
      expect([order, line.length]).toEqual([['a1', 'a2: SLUICE_REFUSED'], 2]);
    });

    it('is full by the store that answers later, too', async () => {
      const remote = new AsyncStore(clock);
      const limit = tokenBucket({ capacity: 1, refillRate: 1 });
      const line = createLine({ limiter: createLimiter({ limit, store: remote }), size: 2 });
      for (const name of ['1', '2', '3', '4']) note(line, 'ann', {}, name);
      await later();
      expect([order, line.length]).toEqual([['1', '4: SLUICE_REFUSED'], 2]);
    });
  });

  it('asks the store for nobody after a grant that leaves less than the next one needs', async () => {
    const asked = jest.spyOn(store, 'consume');
    const limit = fixedWindow({ limit: 3, window: '1m' });
    const line = createLine({ limiter: createLimiter<string>({ limit, keyGenerator: everyone(), cost: 2, store }) });
    for (const name of ['a', 'b', 'c']) note(line, name);
    await later();
    expect([order, asked.mock.calls.length]).toEqual([['a'], 2]);
    clock.advance(60_000);
    await later();
    expect([order, asked.mock.calls.length]).toEqual([['a', 'b'], 3]);
  });

  it('lets nobody who may exceed the limit pass those who wait for it', async () => {
    const load = { isCalm: false };
    const limiter = createLimiter<string>({
      limit: tokenBucket({ capacity: 1, refillRate: 1 }),
      keyGenerator: everyone(),
      elastic: { upTo: 2, while: load },
      store,
    });
    const line = createLine({ limiter });
    for (const name of ['a', 'b']) note(line, name);
    await later();
    load.isCalm = true;
    note(line, 'c');
    await later();
    expect(order).toEqual(['a']);
    clock.advance(1000);
    await later();
    expect(order.slice(0, 2)).toEqual(['a', 'b']);
  });

  it('refuses what would come after its maxWait, and what can never come', async () => {
    const line = createLine({ limiter: shared(), maxWait: '1500ms' });
    for (const name of ['a', 'b', 'c']) note(line, name);
    await later();
    clock.advance('1s');
    await later();
    expect(order).toEqual(['a', 'b', 'c: SLUICE_REFUSED']);
    const own = await line.run('d', () => {}, { maxWait: 0 }).catch((error) => error);
    expect(own).toMatchObject({ code: 'SLUICE_REFUSED', retryAfterMs: 1000 });
    const never = await line.run('d', () => {}, { cost: 2 }).catch((error) => error);
    expect(never).toMatchObject({ code: 'SLUICE_REFUSED', retryAfterMs: 'never' });
  });

  it('holds slots as long as the work runs, and lets the next one run at once', async () => {
    const line = createLine({ limiter: createLimiter({ limit: concurrency({ limit: 2, lease: '30s' }), store }) });
    const ends: (() => void)[] = [];
    const runs = [1, 2, 3, 4].map((n) => line.run('ann', () => new Promise<number>((end) => ends.push(() => end(n)))));
    await later();
    expect([ends.length, line.length]).toEqual([2, 2]);
    ends[1]?.();
    await later();
    expect([ends.length, line.length]).toEqual([3, 1]);
    ends[0]?.();
    await later();
    ends[2]?.();
    ends[3]?.();
    await expect(Promise.all(runs)).resolves.toEqual([1, 2, 3, 4]);
  });

  it('frees slots, and keeps units spent, if the work fails', async () => {
    const limiter = createLimiter({
      limits: [concurrency({ limit: 1, lease: '30s' }), tokenBucket({ capacity: 5, refillRate: 1 })],
      store,
    });
    const line = createLine({ limiter });
    await expect(line.run('ann', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(
      line.run('ann', () => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(limiter.peek('ann').verdicts.map(({ remaining }) => remaining)).toEqual([1, 3]);
  });

  it('lets the work correct what it costs', async () => {
    const limiter = createLimiter({ limit: 10, window: '1m', store });
    const line = createLine({ limiter });
    await line.run('ann', (_, reservation) => reservation.settle(4), { cost: 9 });
    expect(limiter.peek('ann').tightest.remaining).toBe(6);
    await line.run('ann', (_, reservation) => reservation.cancel());
    expect(limiter.peek('ann').tightest.remaining).toBe(6);
  });

  it('leaves a charge that the work has handed over to whoever corrects it', async () => {
    const limits = [concurrency({ limit: 1, lease: '30s' }), tokenBucket({ capacity: 10, refillRate: 1 })];
    const limiter = createLimiter({ limits, store });
    const line = createLine({ limiter });
    const charge = await line.run('ann', (_, reservation) => chargeOf(reservation), { cost: 9 });
    expect(limiter.peek('ann').verdicts.map(({ remaining }) => remaining)).toEqual([1, 1]);
    expect(limiter.correct(charge as Charge, { actual: 4 })).toBe('applied');
    expect(limiter.peek('ann').verdicts.map(({ remaining }) => remaining)).toEqual([1, 6]);
  });

  it('counts work that waits for its turn in a leaky bucket, all on one timer', async () => {
    const sleeping = sleepsOf(clock);
    const limiter = createLimiter({ limit: leakyBucket({ capacity: 9, leakRate: 1 }), store });
    const line = createLine({ limiter });
    for (let i = 0; i < 5; i += 1) note(line, 'ann', {}, String(i));
    await later();
    expect([order, line.length, sleeping()]).toEqual([['0'], 4, [1000]]);
    for (let i = 0; i < 4; i += 1) {
      clock.advance('1s');
      await later();
    }
    expect([order, line.length, sleeping()]).toEqual([['0', '1', '2', '3', '4'], 0, []]);
  });

  it('ends a wait by its signal, and tells work that runs', async () => {
    const line = createLine({ limiter: shared() });
    const abort = new AbortController();
    const told = line.run(
      'ann',
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
      { signal: abort.signal },
    );
    note(line, 'bob', { signal: abort.signal });
    await later();
    abort.abort('enough');
    await expect(told).resolves.toBe('enough');
    await later();
    expect([order, line.length]).toEqual([['bob: enough'], 0]);
  });

  it('drains when no work waits or runs', async () => {
    const line = createLine({ limiter: shared() });
    await line.drain();
    let isDrained = false;
    let end = (): void => {};
    note(line, 'ann');
    void line.run('bob', () => new Promise<void>((resolve) => (end = resolve)));
    void line.drain().then(() => (isDrained = true));
    await later();
    clock.advance('1s');
    await later();
    expect([line.length, isDrained]).toEqual([0, false]);
    end();
    await later();
    expect(isDrained).toBe(true);
  });

  it.each(['at once', 'by promises'])(
    'closed: leaves no promise open, and no timer, over a store that answers %s',
    async (answers) => {
      const sleeping = sleepsOf(clock);
      const over = answers === 'at once' ? store : new AsyncStore(clock);
      const limit = tokenBucket({ capacity: 1, refillRate: 1 });
      const line = createLine({ limiter: createLimiter<string>({ limit, keyGenerator: everyone(), store: over }) });
      const told = line.run(
        'runs',
        (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('told'))),
      );
      await later();
      for (const name of ['a', 'b']) note(line, name, { maxWait: '1h' });
      await later();
      note(line, 'asks');
      line.close();
      line.close();
      note(line, 'late');
      await later();
      expect(order.sort()).toEqual(['a', 'asks', 'b', 'late'].map((name) => `${name}: SLUICE_CLOSED`));
      await expect(told).resolves.toBe('told');
      await line.drain();
      expect([line.length, sleeping()]).toEqual([0, []]);
    },
  );

  it('closed: ends work that was admitted and waits for its turn, and gives its units back', async () => {
    const limits = [leakyBucket({ capacity: 5, leakRate: 1 }), tokenBucket({ capacity: 5, refillRate: 1 })];
    const limiter = createLimiter({ limits, store });
    const line = createLine({ limiter });
    note(line, 'ann');
    note(line, 'ann');
    await later();
    line.close();
    await later();
    expect(order).toEqual(['ann', 'ann: SLUICE_CLOSED']);
    expect(limiter.peek('ann').verdicts[1]).toMatchObject({ remaining: 4 });
  });

  it('ends with its store', async () => {
    const line = createLine({ limiter: shared() });
    for (const name of ['a', 'b']) note(line, name);
    await later();
    store.close();
    await later();
    expect(order).toEqual(['a', 'b: SLUICE_CLOSED']);
  });

  it.each<[string, object]>([
    ['limiter', { limiter: undefined }],
    ['limiter', { limiter: { wait: () => {} } }],
    ['size', { size: 0 }],
    ['size', { size: Number.POSITIVE_INFINITY }],
    ['perKey', { perKey: 0.5 }],
    ['order', { order: 'oldest' }],
    ['maxWait', { maxWait: 'soon' }],
    ['weight', { weight: 2 }],
    ['weight', { weight: () => 1, order: 'fifo' }],
    ['keyGenerator', { keyGenerator: 'ip' }],
    ['concurrency', { concurrency: 5 }],
  ])('refuses a wrong %s: %p', (path, own) => {
    expect(() => createLine({ limiter: shared(), ...own } as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });

  it.each<[string, (line: Line<string>) => Promise<unknown>]>([
    ['work', (line) => line.run('ann', undefined as never)],
    ['maxWait', (line) => line.run('ann', () => {}, { maxWait: -1 })],
    ['timeout', (line) => line.run('ann', () => {}, { timeout: 5 } as object)],
    ['weight()', (line) => line.run('nobody', () => {})],
  ])('refuses a wrong %s of a run, and spends nothing', async (path, run) => {
    const limiter = shared();
    const line = createLine({ limiter, weight: (subject) => (subject === 'nobody' ? 0 : 1) });
    await expect(run(line)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path });
    await line.drain();
    expect(limiter.peek('ann').tightest.remaining).toBe(1);
  });
});
