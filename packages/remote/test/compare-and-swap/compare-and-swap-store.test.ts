import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  type LimitCheck,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { systemClock } from '@sluice/core/src/values/clock';
import { ManualClock } from '@sluice/core/testing';
import type { Swap } from '../../src/compare-and-swap/backend.js';
import { compareAndSwapStore } from '../../src/compare-and-swap/compare-and-swap-store.js';
import { MapBackend } from './map-backend.js';

let backend: MapBackend;
let clock: ManualClock;

beforeEach(() => {
  backend = new MapBackend();
  clock = new ManualClock();
});

const LIMIT = slidingWindow({ limit: 5, window: '1m' });

const checkOf = (own: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'p',
  name: 'n',
  key: 'ann',
  limit: LIMIT,
  cost: 1,
  ...own,
});

/** A database that another instance changes before each of the next writes. */
class OvertakenBackend extends MapBackend {
  overtake: (() => Promise<unknown>) | undefined;
  times = 0;

  override async swap(swaps: readonly Swap[]): Promise<boolean> {
    if (this.overtake && this.times > 0) {
      this.times -= 1;
      const { overtake } = this;
      this.overtake = undefined;
      await overtake();
      this.overtake = overtake;
    }
    return super.swap(swaps);
  }
}

describe('A decision', () => {
  it('reads once, and writes once if it changes anything', async () => {
    const store = compareAndSwapStore(backend, { clock });
    await store.consume({ checks: [checkOf(), checkOf({ key: 'bob' })] });
    expect([backend.reads, backend.swaps]).toEqual([1, 1]);
    await store.consume({ checks: [checkOf({ cost: 6 })] });
    await store.consume({ checks: [checkOf()], peek: true });
    expect([backend.reads, backend.swaps]).toEqual([3, 1]);
  });

  it('shares reads and writes with simultaneous decisions about the same keys, each all or nothing', async () => {
    const store = compareAndSwapStore(backend, { clock });
    const pairs = Array.from({ length: 60 }, (_, i) => [
      checkOf(),
      checkOf({ key: `${i % 20}`, limit: fixedWindow({ limit: 2, window: '1m' }) }),
    ]);
    const wide = slidingWindow({ limit: 30, window: '1m' });
    const replies = await Promise.all(
      pairs.map(([all, own]) =>
        store.consume({ checks: [{ ...(all as LimitCheck), limit: wide }, own as LimitCheck] }),
      ),
    );
    expect(replies.filter(({ allowed }) => allowed)).toHaveLength(30);
    expect(backend.reads).toBeLessThan(4);
    const { verdicts } = await store.consume({ checks: [checkOf({ limit: wide })], peek: true });
    expect(verdicts[0]?.used).toBe(30);
  });

  it('about other keys does not wait', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const read = backend.read.bind(backend);
    backend.read = async (keys) => {
      if (keys.some((key) => key.endsWith(':ann'))) await held;
      return read(keys);
    };
    const store = compareAndSwapStore(backend, { clock });
    const answered: string[] = [];
    const ask = async (...keys: string[]): Promise<void> => {
      await store.consume({ checks: keys.map((key) => checkOf({ key })) });
      answered.push(keys.join());
    };
    const asked = [ask('ann'), ask('bob', 'ann'), ask('bob'), ask('ann')];
    await asked[2];
    expect(answered).toEqual(['bob']);
    release();
    await Promise.all(asked);
    expect(backend.entries.size).toBe(2);
    expect((await store.consume({ checks: [checkOf()], peek: true })).verdicts[0]?.used).toBe(3);
  });

  it('with a conflict is made again on the new state', async () => {
    const contested = new OvertakenBackend();
    const [store, other] = [contested, contested].map((each) => compareAndSwapStore(each, { clock }));
    contested.overtake = () => other?.consume({ checks: [checkOf()] }) as Promise<unknown>;
    contested.times = 4;
    const reply = await store?.consume({ checks: [checkOf()] });
    expect(reply?.verdicts[0]?.remaining).toBe(0);
    contested.times = 1;
    expect((await store?.consume({ checks: [checkOf()] }))?.allowed).toBe(false);
  });

  it('with too many conflicts fails, and names the key', async () => {
    const contested = new OvertakenBackend();
    const store = compareAndSwapStore(contested, { clock, attempts: 4 });
    const other = compareAndSwapStore(contested, { clock });
    const wide = slidingWindow({ limit: 1000, window: '1m' });
    contested.overtake = () => other.consume({ checks: [checkOf({ limit: wide })] });
    contested.times = 4;
    await expect(store.consume({ checks: [checkOf({ limit: wide })] })).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringContaining('other instances changed sliding-window:p:n:ann 4 times in a row'),
    });
    expect((await other.consume({ checks: [checkOf({ limit: wide })], peek: true })).verdicts[0]?.used).toBe(4);
    expect((await store.consume({ checks: [checkOf({ limit: wide })] })).allowed).toBe(true);
  });

  it('without a conflict does not wait for one with a conflict that shares its write', async () => {
    const contested = new OvertakenBackend();
    const store = compareAndSwapStore(contested, { clock, parallel: 1 });
    const other = compareAndSwapStore(contested, { clock });
    const wide = slidingWindow({ limit: 1000, window: '1m' });
    await other.consume({ checks: [checkOf({ limit: wide })] });
    contested.overtake = () => other.consume({ checks: [checkOf({ limit: wide })] });
    const answered: string[] = [];
    const ask = async (key: string): Promise<void> => {
      await store.consume({ checks: [checkOf({ key, limit: wide })] });
      answered.push(key);
    };
    // The first one makes the others wait, so they share a batch. No race about bob and cid is ever lost.
    const first = ask('first');
    contested.times = 20;
    await Promise.all([first, ask('ann'), ask('bob'), ask('ann'), ask('cid')]);
    expect(answered).toEqual(['first', 'bob', 'cid', 'ann', 'ann']);
    const keys = ['ann', 'bob', 'cid', 'first'].map((key) => checkOf({ key, limit: wide }));
    const { verdicts } = await store.consume({ checks: keys, peek: true });
    expect(verdicts.map(({ used }) => used)).toEqual([23, 1, 1, 1]);
  });

  it('shares its read and write with decisions about any keys while enough batches are running', async () => {
    const store = compareAndSwapStore(backend, { clock, parallel: 2 });
    await Promise.all(Array.from({ length: 50 }, (_, i) => store.consume({ checks: [checkOf({ key: `${i}` })] })));
    expect([backend.reads, backend.swaps]).toEqual([3, 3]);
    expect(backend.entries.size).toBe(50);
    await Promise.all(Array.from({ length: 350 }, (_, i) => store.consume({ checks: [checkOf({ key: `${i}` })] })));
    expect(backend.reads).toBeLessThan(10);
    expect(backend.entries.size).toBe(350);
  });

  it('whose write fails, fails; the next one reads again', async () => {
    const store = compareAndSwapStore(backend, { clock });
    const swap = backend.swap.bind(backend);
    backend.swap = async () => {
      throw new Error('no room');
    };
    const asked = Array.from({ length: 3 }, () => store.consume({ checks: [checkOf()] }));
    for (const each of asked) await expect(each).rejects.toThrow('no room');
    backend.swap = swap;
    expect((await store.consume({ checks: [checkOf()] })).verdicts[0]?.remaining).toBe(4);
  });
});

describe('Time', () => {
  it('is that of the database, if it returns its time', async () => {
    const read = backend.read.bind(backend);
    backend.read = async (keys) => ({ ...(await read(keys)), atMs: 1_000_000 });
    const store = compareAndSwapStore(backend);
    expect((await store.consume({ checks: [checkOf()] })).atMs).toBe(1_000_000);
    expect((await store.adjust({ checks: [checkOf()] })).atMs).toBe(1_000_000);
  });

  it('is that of this process, if it returns none', async () => {
    const beforeMs = systemClock.now();
    const { atMs } = await compareAndSwapStore(backend).consume({ checks: [checkOf()] });
    expect(atMs).toBeGreaterThanOrEqual(beforeMs);
    expect(atMs).toBeLessThanOrEqual(systemClock.now());
  });

  it('after which nothing may be charged is passed to the database', async () => {
    const told: unknown[] = [];
    const [read, swap] = [backend.read.bind(backend), backend.swap.bind(backend)];
    backend.read = async (keys) => ({ ...(await read(keys)), atMs: 1000 });
    backend.swap = async (swaps: readonly Swap[], notAfterMs?: number) => {
      told.push(notAfterMs);
      return swap(swaps);
    };
    const store = compareAndSwapStore(backend);
    await store.consume({ checks: [checkOf()], notAfterMs: 1001 });
    await store.consume({ checks: [checkOf()] });
    await new Promise(setImmediate);
    const asked = [undefined, 1020, 999, 1010].map((notAfterMs) =>
      store.consume({ checks: [checkOf()], ...(notAfterMs !== undefined && { notAfterMs }) }),
    );
    const results = await Promise.allSettled(asked);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(told).toEqual([1001, undefined, undefined, 1010]);
  });

  it('for which an entry is kept is as long as it matters, and long enough for the clock of a test', async () => {
    const read = backend.read.bind(backend);
    backend.read = async (keys) => ({ ...(await read(keys)), atMs: 60_000 });
    await compareAndSwapStore(backend).consume({ checks: [checkOf()], id: 'a', holdMs: 7000 });
    expect(Object.fromEntries(backend.lives)).toEqual({ 'sliding-window:p:n:ann': 60_000, 'ask:a': 7000 });
    await compareAndSwapStore(backend, { clock }).consume({ checks: [checkOf()] });
    expect(backend.lives.get('sliding-window:p:n:ann')).toBe(600_000);
  });
});

describe('The stored value', () => {
  const LIMITS: Readonly<Record<string, Limit>> = {
    'sliding-window': slidingWindow({ limit: 5, window: '1m', blockDuration: '1h', countRejected: true }),
    'token-bucket': tokenBucket({ capacity: 5, refillRate: 0.3 }),
    concurrency: concurrency({ limit: 5, lease: '10s' }),
  };

  it.each([
    ['sliding-window', '[1,0,1800000000000,-61440000,1800000000000,1]'],
    ['token-bucket', '[1,0,-1,40000,-43000014608,1800000000000]'],
    ['concurrency', '[1,0,-1,"id",1800000010000]'],
  ])('of a %s is a list as JSON: %s', async (algorithm, value) => {
    clock.set(1_800_000_000_000);
    const limit = LIMITS[algorithm] as Limit;
    await compareAndSwapStore(backend, { clock }).consume({ checks: [checkOf({ limit })], id: 'id' });
    expect(backend.entries.get(`${algorithm}:p:n:ann`)?.value).toBe(value);
  });

  it('is read as earlier versions wrote it, without the window or the rate', async () => {
    clock.set(1_800_000_000_000);
    for (const [limit, value, left] of [
      [tokenBucket({ capacity: 5, refillRate: 0.3 }), '[1,0,-1,20000,10000,1799999995000]', 2],
      [slidingWindow({ limit: 5, window: '1m' }), '[1,0,-1,1,1800000000000,2]', 2],
      [slidingWindow({ limit: 50, window: '1m' }), '[1,0,-1,3000,1799999999999,8,1800000002999,9]', 32],
    ] as const) {
      backend.entries.set(`${limit.algorithm}:p:n:ann`, { version: 'v', value });
      const store = compareAndSwapStore(backend, { clock });
      const { verdicts } = await store.consume({ checks: [checkOf({ limit })] });
      expect([value, verdicts[0]?.remaining]).toEqual([value, left]);
    }
  });

  it.each(Object.entries(LIMITS))('of a %s counts as absent if it cannot be read', async (algorithm, limit) => {
    const key = `${algorithm}:p:n:ann`;
    for (const value of ['[1]', '[1,0,-1,"a"]', '[1,0,-1,null,2,3]', '[1,"0",-1,1,2,3]']) {
      backend.entries.set(key, { version: 'v', value });
      const store = compareAndSwapStore(backend, { clock });
      const { verdicts } = await store.consume({ checks: [checkOf({ limit })], id: 'id' });
      expect([value, verdicts[0]?.remaining]).toEqual([value, 4]);
    }
  });

  it.each(['[9,0,-1,1,2,3]', '{"form":4}', 'v4:AAAA', '', 'null', '[]'])(
    'in a form of a newer version is never taken for a fresh key, nor overwritten: %s',
    async (value) => {
      const key = 'token-bucket:p:n:ann';
      backend.entries.set(key, { version: 'v', value });
      const store = compareAndSwapStore(backend, { clock });
      const check = checkOf({ limit: LIMITS['token-bucket'] as Limit });
      const targets = [check];
      for (const call of [
        () => store.consume({ checks: [check] }),
        () => store.consume({ checks: [check], peek: true }),
        () => store.consume({ checks: [checkOf({ key: 'bob' }), check] }),
        () => store.adjust({ checks: [{ ...check, key: 'bob', cost: 1 }, check] }),
        () => store.blocks.block({ targets, forMs: 1000 }),
        () => store.blocks.unblock(targets),
        () => store.blocks.find(targets),
      ]) {
        const atMs = clock.now();
        await expect(call()).rejects.toMatchObject({
          code: 'SLUICE_STORE',
          atMs,
          message: expect.stringContaining('newer version'),
        });
        expect([...backend.entries]).toEqual([[key, { version: 'v', value }]]);
      }
      expect(await store.reset(targets)).toBe(1);
      expect((await store.consume({ checks: [check] })).allowed).toBe(true);
    },
  );

  it('of an operation, of a list of blocks or of their number in a form of a newer version is not overwritten', async () => {
    const store = compareAndSwapStore(backend, { clock });
    const block = { targets: [checkOf()], forMs: 1000 };
    await store.blocks.block(block);
    await store.consume({ checks: [checkOf({ key: 'bob' })], id: 'a', holdMs: 1000 });
    await store.adjust({ checks: [checkOf({ key: 'bob' })], id: 'a' });
    const others = [...backend.entries.keys()].filter((key) => /^(ask|change|blocks):/.test(key));
    expect(others).toHaveLength(4);
    for (const key of others) backend.entries.set(key, { version: 'v', value: '[9]' });
    const calls = [
      () => store.blocks.block({ ...block, forMs: 2000 }),
      () => store.consume({ checks: [checkOf({ key: 'bob' })], id: 'a', holdMs: 1000 }),
      () => store.adjust({ checks: [checkOf({ key: 'bob' })], id: 'a' }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    for (const key of others) expect(backend.entries.get(key)?.value).toBe('[9]');
  });

  it('of another key in the same batch is decided all the same', async () => {
    const store = compareAndSwapStore(backend, { clock });
    backend.entries.set('token-bucket:p:n:ann', { version: 'v', value: '[9]' });
    const limit = LIMITS['token-bucket'] as Limit;
    const [newer, known] = await Promise.allSettled(
      ['ann', 'bob'].map((key) => store.consume({ checks: [checkOf({ key, limit })] })),
    );
    expect([newer?.status, known?.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('is kept as long as it matters, however often the key is blocked and lifted', async () => {
    const keptMs = () => Math.max(0, ...[...backend.entries.keys()].map((key) => backend.lives.get(key) ?? 0));
    const store = compareAndSwapStore(backend);
    const check = checkOf({ limit: LIMITS['token-bucket'] as Limit });
    await store.consume({ checks: [check] });
    for (const forMs of [5, 1, 60_000]) await store.blocks.block({ targets: [check], forMs });
    expect(keptMs()).toBeLessThanOrEqual(60_000);
    await store.blocks.block({ targets: [check], forMs: 'forever' });
    await store.blocks.unblock([check]);
    expect(keptMs()).toBeLessThanOrEqual(60_000);
  });

  it('of a reply is valid only for the same number of checks', async () => {
    const store = compareAndSwapStore(backend, { clock });
    await store.consume({ checks: [checkOf()], id: 'a', holdMs: 1000 });
    const { verdicts } = await store.consume({ checks: [checkOf(), checkOf({ key: 'bob' })], id: 'a', holdMs: 1000 });
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([3, 4]);
  });

  it('of a key of any length has a key of its own with at most 250 characters', async () => {
    const store = compareAndSwapStore(backend, { clock });
    const texts = [
      'x',
      ':',
      '%',
      '#',
      'é',
      '\ud800',
      '\u0000',
      'X',
      ...[200, 250, 251, 5000].map((length) => 'x'.repeat(length)),
    ];
    const checks = texts.flatMap((text) => [
      checkOf({ key: text }),
      checkOf({ name: text }),
      checkOf({ policy: text }),
    ]);
    const { verdicts } = await store.consume({ checks });
    expect(new Set(verdicts.map(({ remaining }) => remaining))).toEqual(new Set([4]));
    expect(backend.entries.size).toBe(checks.length);
    for (const key of backend.entries.keys()) expect(key).toMatch(/^[\w.~@%:#-]{1,250}$/);
  });
});

it('Two simultaneous requests with one id, in two instances, get the same reply and are charged once', async () => {
  const stores = [compareAndSwapStore(backend, { clock }), compareAndSwapStore(backend, { clock })];
  const ask = { checks: [checkOf()], id: 'a', holdMs: 1000 };
  const replies = await Promise.all([...stores, ...stores].map((store) => store.consume(ask)));
  for (const { nowMs, ...reply } of replies) expect(reply).toEqual(replies.find((one) => one.nowMs === undefined));
  expect((await (stores[0] as (typeof stores)[0]).consume({ checks: [checkOf()], peek: true })).verdicts[0]?.used).toBe(
    1,
  );
});

it('Closing waits for running operations, closes the backend once, and leaves no timer', async () => {
  const told: string[] = [];
  Object.assign(backend, { close: () => told.push('closed') });
  const store = compareAndSwapStore(backend, { clock });
  const asked = store.consume({ checks: [checkOf()] }).then(() => told.push('answered'));
  await Promise.all([store.close(), store.close()]);
  await asked;
  expect(told).toEqual(['answered', 'closed']);
});

it('Closing waits for a hanging database at most as long as a decision may take', async () => {
  backend.read = () => new Promise(() => {});
  const store = compareAndSwapStore(backend, { clock, timeout: '20ms' });
  store.consume({ checks: [checkOf()] }).catch(() => {});
  // Without this, the test would never end.
  await store.close();
});

it.each(['read', 'swap'] as const)(
  'A %s that never ends keeps its keys from others only for a while',
  async (method) => {
    const store = compareAndSwapStore(backend, { clock, timeout: '10ms', trouble: () => 'the cable is out' });
    const call = backend[method].bind(backend) as never;
    backend[method] = () => {
      backend[method] = call;
      return new Promise<never>(() => {});
    };
    const hanging = store.consume({ checks: [checkOf()] });
    const waiting = store.consume({ checks: [checkOf()] });
    await expect(hanging).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: 'the store did not answer in time: the cable is out (SLUICE_STORE)',
    });
    await expect(waiting).resolves.toMatchObject({ allowed: true });
    await store.close();
  },
);

it('A limiter over it has a deadline, and follows onStoreError if the database hangs', async () => {
  const store = compareAndSwapStore(backend, { timeout: '500ms', instances: 2 });
  const limiter = createLimiter({ limit: 4, window: '1m', store });
  expect((await limiter.consume('ann')).source).toBe('store');
  backend.read = () => new Promise(() => {});
  const decision = await limiter.consume('ann');
  expect([decision.source, decision.tightest.remaining]).toEqual(['local', 1]);
});

it.each([
  [{ timeout: 0 }, 'timeout'],
  [{ timeout: '3d' }, 'timeout'],
  [{ instances: 0 }, 'instances'],
  [{ attempts: 0 }, 'attempts'],
  [{ parallel: 0 }, 'parallel'],
  [{ clock: {} }, 'clock'],
  [{ retries: 3 }, 'retries'],
])('A wrong option is refused: %j', (options, path) => {
  expect(() => compareAndSwapStore(backend, options as never)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  );
});

it.each([undefined, null, {}, { read() {} }])('A backend without a method is refused: %j', (wrong) => {
  expect(() => compareAndSwapStore(wrong as never)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path: 'backend' }),
  );
});

it.each([
  [{ cost: 1.5 }, 'SLUICE_COST'],
  [{ limit: { algorithm: 'unlimited', quota: 5 } as Limit }, 'SLUICE_UNSUPPORTED'],
  [{ limit: { algorithm: 'fixed-window', quota: 5 } as Limit }, 'SLUICE_OPTION'],
])('A check that cannot be counted is refused before anything is read: %j', async (own, code) => {
  const store = compareAndSwapStore(backend, { clock });
  await expect(store.consume({ checks: [checkOf(own)] })).rejects.toMatchObject({ code });
  await expect(store.adjust({ checks: [checkOf(own)] })).rejects.toMatchObject({ code });
  expect(backend.reads).toBe(0);
});
