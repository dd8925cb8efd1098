import { LeasedStore, ShardedStore } from '@sluice/core/distributed';
import '@sluice/core/calendars';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { until } from '@sluice/test-kit/until';
import express, { type Express } from 'express';
import { MemoryStore as PeerMemoryStore, type Store as PeerStore } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { RedisStore as PeerRedisStore, type RedisReply } from 'rate-limit-redis';
import request from 'supertest';
import {
  createLimiter,
  everyone,
  fixedWindow,
  ipKey,
  type RateLimitOptions,
  rateLimit,
  slidingWindow,
  subscribe,
  tokenBucket,
  unlimited,
} from '../src/index.js';
import { type ExpressRateLimitStore, storeOf } from '../src/store-of/index.js';

const MINUTE_MS = 60_000;
const perMinute = (limit: number) => fixedWindow({ limit, window: '1m' });

/** Moves the time of day, by which the peers' stores count, and no timer. */
function pass(ms: number): void {
  jest.setSystemTime(Date.now() + ms);
}

beforeEach(() => {
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'];
  const others = ['nextTick', 'queueMicrotask', 'hrtime', 'performance'];
  jest.useFakeTimers({ now: Date.now(), doNotFake: [...timers, ...others] as never });
});

const open: { close(): unknown }[] = [];

afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(open.splice(0).map((store) => store.close()));
});

/** A store of a peer, closed with the test. */
function over(peer: ExpressRateLimitStore, options?: Parameters<typeof storeOf>[1]) {
  const store = storeOf(peer, options);
  open.push(store);
  return store;
}

const inMemory = () => over(new PeerMemoryStore());

function appOf(options: RateLimitOptions): Express {
  const app = express();
  app.use(rateLimit(options));
  app.get('/', (_req, res) => {
    res.send('hello');
  });
  app.get('/broken', (_req, res) => {
    res.status(500).send('broken');
  });
  return app;
}

async function statuses(app: Express, ...paths: string[]): Promise<number[]> {
  const answers: number[] = [];
  for (const path of paths) answers.push((await request(app).get(path)).status);
  return answers;
}

describe('A store for express-rate-limit in memory', () => {
  it('admits a limit in its window, refuses requests above it, and starts anew when the window ends', async () => {
    const app = appOf({ limit: perMinute(2), store: inMemory() });
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 200, 429]);
    pass(MINUTE_MS - 1000);
    expect(await statuses(app, '/')).toEqual([429]);
    pass(1000);
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 200, 429]);
  });

  it('has its numbers in the header fields of every response', async () => {
    const app = appOf({ limit: perMinute(2), store: inMemory() });
    expect((await request(app).get('/')).headers).toMatchObject({
      'ratelimit-policy': '"per-1m";q=2;w=60',
      ratelimit: '"per-1m";r=1;t=60',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '60',
    });
    await request(app).get('/');
    pass(20_000);
    const refused = await request(app).get('/');
    expect(refused.headers).toMatchObject({ ratelimit: '"per-1m";r=0;t=40', 'retry-after': '40' });
    expect(refused.body).toMatchObject({ status: 429, 'violated-policies': ['per-1m'] });
  });

  it.each([
    ['failed', { skipFailedRequests: true }, ['/broken', '/broken', '/', '/', '/broken'], [500, 500, 200, 200, 429]],
    ['succeeded', { skipSuccessfulRequests: true }, ['/', '/', '/broken', '/broken', '/'], [200, 200, 500, 500, 429]],
  ] as const)('gives back the charge of a request that %s', async (_, options, paths, expected) => {
    const app = appOf({ limit: perMinute(2), store: inMemory(), ...options });
    expect(await statuses(app, ...paths)).toEqual(expected);
  });

  it('gives nothing back to a window that began after the charge', async () => {
    const limiter = createLimiter({ limit: perMinute(2), store: inMemory() });
    const first = await limiter.reserve('ann');
    pass(MINUTE_MS);
    await limiter.consume('ann');
    await first.cancel();
    expect((await limiter.peek('ann')).tightest.remaining).toBe(1);
  });

  it('gives back the charge of an outer limiter if an inner one refuses', async () => {
    const store = inMemory();
    const app = express();
    const outer = rateLimit({ name: 'outer', limit: perMinute(9), store });
    app.use(outer, rateLimit({ name: 'inner', limit: perMinute(1), store }));
    app.get('/', (_req, res) => void res.send('hello'));
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 429, 429]);
    expect((await outer.peek(ipKey('127.0.0.1'))).tightest.remaining).toBe(8);
  });

  it('supports peek, reset, charge and refund, one unit at a time', async () => {
    const limiter = createLimiter({ limit: perMinute(2), store: inMemory() });
    const remaining = async () => (await limiter.peek('ann')).tightest.remaining;
    expect(await remaining()).toBe(2);
    await limiter.charge('ann');
    await limiter.consume('ann');
    expect(await remaining()).toBe(0);
    await limiter.refund('ann');
    expect(await remaining()).toBe(1);
    await limiter.reset('ann');
    expect(await remaining()).toBe(2);
    await limiter.refund('ann');
    expect(await remaining()).toBe(2);
    await limiter.consume('ann');
    pass(MINUTE_MS);
    expect(await limiter.peek('ann')).toMatchObject({ allowed: true, tightest: { remaining: 2, resetAfterMs: 0 } });
  });

  it('counts policies and keys separately, whatever their names', async () => {
    const store = inMemory();
    const keys = ['ann', 'bob', 'Ann Å', 'x'.repeat(500), 'a b', 'a:b'];
    const [first, second] = ['GET /users', 'GET /users:'].map((name) =>
      createLimiter({ name, limit: perMinute(1), store }),
    );
    for (const limiter of [first, second]) {
      for (const key of keys) expect([key, (await limiter?.consume(key))?.allowed]).toEqual([key, true]);
      for (const key of keys) expect([key, (await limiter?.consume(key))?.allowed]).toEqual([key, false]);
    }
  });

  it('uses keys that every store accepts: no spaces, no control characters, at most 200 bytes', async () => {
    const seen: string[] = [];
    const peer = new PeerMemoryStore();
    const increment = peer.increment.bind(peer);
    peer.increment = (key) => {
      seen.push(key);
      return increment(key);
    };
    const limiter = createLimiter({ name: 'GET /a b', limit: perMinute(1), store: over(peer) });
    for (const key of ['ann', 'a b\n', 'x'.repeat(120), 'ä']) await limiter.consume(key);
    expect(seen[0]).toBe('GET%20%2Fa%20b:GET%20%2Fa%20b:ann');
    expect(seen.filter((key) => !/^[\x21-\x7e]{1,200}$/.test(key))).toEqual([]);
    expect(new Set(seen).size).toBe(4);
  });

  it('lets tiers choose the number, not the window', async () => {
    const tiers = new Map([
      ['free', perMinute(1)],
      ['paid', perMinute(3)],
      ['staff', unlimited()],
      ['odd', fixedWindow({ limit: 9, window: '1h' })],
      ['sliding', slidingWindow({ limit: 9, window: '1m' })],
    ]);
    const limit = (user: string) => tiers.get(user) ?? perMinute(1);
    const limiter = createLimiter({ limit, store: inMemory() });
    const allowed = async (user: string) => (await limiter.consume(user)).allowed;
    expect([await allowed('free'), await allowed('free')]).toEqual([true, false]);
    expect([await allowed('paid'), await allowed('paid'), await allowed('staff')]).toEqual([true, true, true]);
    await expect(allowed('odd')).rejects.toMatchObject({
      code: 'SLUICE_UNSUPPORTED',
      message: expect.stringContaining('it counts windows of 60000 ms already, and this one has 3600000'),
    });
    await expect(allowed('sliding')).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' });
    expect((await limiter.peek('paid')).tightest.remaining).toBe(1);
  });

  it('decides a shadow limit, which refuses no request', async () => {
    const limiter = createLimiter({ limit: perMinute(1), enforce: 0, store: inMemory() });
    await limiter.consume('ann');
    expect(await limiter.consume('ann')).toMatchObject({ allowed: true, shadowed: true });
  });

  it('gets its window when the policy is made, and is shut down when the store is closed', async () => {
    const notified: unknown[] = [];
    const peer = new PeerMemoryStore();
    const init = peer.init.bind(peer);
    peer.init = (options) => {
      notified.push(options);
      init(options);
    };
    const store = over(peer);
    const limiter = createLimiter({ limit: perMinute(1), store });
    createLimiter({ name: 'other', limit: perMinute(5), store });
    expect(notified).toEqual([{ windowMs: MINUTE_MS }]);
    await store.close();
    await expect(limiter.consume('ann')).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(over(peer)).not.toBe(store);
  });

  it('is one store however often it is passed, so that names are distinguished', () => {
    const peer = new PeerMemoryStore();
    expect(over(peer)).toBe(over(peer));
    rateLimit({ limit: perMinute(1), store: over(peer) });
    const again = () => rateLimit({ limit: perMinute(1), store: over(peer) });
    expect(again).toThrow(expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' }));
    expect(() => storeOf(peer, { timeout: '1s' })).toThrow('options can be set once for a store');
  });
});

const MONTH = { unit: 'month', timeZone: 'UTC' } as const;

describe('A policy that a store for express-rate-limit cannot count', () => {
  it.each<[what: string, options: object, reason: string]>([
    ['the default algorithm', { limit: 5, window: '1m' }, 'it counts only fixed windows: use limit: fixedWindow('],
    ['a number that a function gives', { limit: () => 5, window: '1m' }, 'it counts only fixed windows'],
    ['a bucket', { limit: tokenBucket({ capacity: 5, refillRate: 1 }) }, 'it counts only fixed windows'],
    ['several limits', { limits: [perMinute(5), { name: 'b', limit: perMinute(6) }] }, 'it counts one limit'],
    ['a window of the clock', { limit: fixedWindow({ limit: 5, window: '1m', align: 'clock' }) }, 'its windows begin'],
    ['a calendar', { limit: fixedWindow({ limit: 5, window: MONTH }) }, 'its windows begin with the first request'],
    ['a block', { limit: fixedWindow({ limit: 5, window: '1m', blockDuration: '1h' }) }, 'leave blockDuration out'],
    [
      'counted refusals',
      { limit: fixedWindow({ limit: 5, window: '1m', countRejected: true }) },
      'leave countRejected',
    ],
    ['another cost', { limit: perMinute(5), cost: 2 }, 'it counts each request as one'],
    ['a long window in memory', { limit: fixedWindow({ limit: 5, window: '25d' }) }, 'its windows in memory are'],
  ])('is refused when the policy is made: %s', (_, options, reason) => {
    const make = () => rateLimit({ ...options, store: inMemory() } as RateLimitOptions);
    expect(make).toThrow(expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }));
    expect(make).toThrow(/^the limit ".+" cannot be counted by a store for express-rate-limit: /);
    expect(make).toThrow(reason);
  });

  it('is refused when the policy is made: a window of another length than that of an earlier policy', () => {
    const store = inMemory();
    rateLimit({ name: 'a', limit: perMinute(1), store });
    const make = () => rateLimit({ name: 'b', limit: fixedWindow({ limit: 1, window: '1h' }), store });
    expect(make).toThrow('it counts windows of 60000 ms already, and this one has 3600000');
  });

  it('is refused when the policy is made: the default algorithm, over several such stores', () => {
    const store = new ShardedStore({ nodes: { a: inMemory(), b: inMemory() } });
    expect(() => rateLimit({ limit: 5, window: '1m', store })).toThrow('it counts only fixed windows');
    rateLimit({ limit: perMinute(5), store });
  });

  it('is refused when the policy is made: leases', () => {
    expect(() => new LeasedStore({ store: inMemory() })).toThrow(expect.objectContaining({ name: 'SluiceError' }));
  });

  it('is refused before anything is spent, if a function or a method asks for it', async () => {
    const limiter = createLimiter<string>({ limit: perMinute(5), cost: (key) => key.length, store: inMemory() });
    const unsupported = { code: 'SLUICE_UNSUPPORTED' };
    await expect(limiter.consume('ann')).rejects.toMatchObject(unsupported);
    await expect(limiter.charge('ann')).rejects.toMatchObject(unsupported);
    await expect(limiter.peek('')).rejects.toMatchObject(unsupported);
    const reservation = await limiter.reserve('a');
    await expect(reservation.settle(3)).rejects.toMatchObject(unsupported);
    expect((await limiter.peek('a')).tightest.remaining).toBe(4);
  });

  it('is one that needs a peek, if the store has no get', async () => {
    const { increment, decrement, resetKey } = new PeerMemoryStore();
    const peer = Object.assign(new PeerMemoryStore(), { get: undefined, increment, decrement, resetKey });
    const store = over(peer as unknown as ExpressRateLimitStore);
    const limiter = createLimiter({ limit: perMinute(2), store });
    const unsupported = { code: 'SLUICE_UNSUPPORTED', message: expect.stringContaining('it has no get(key)') };
    await expect(limiter.peek('ann')).rejects.toMatchObject(unsupported);
    await expect(limiter.refund('ann')).rejects.toMatchObject(unsupported);
    await (await limiter.reserve('ann')).cancel();
    expect([await limiter.consume('ann'), await limiter.consume('ann')]).toMatchObject([
      { allowed: true },
      { allowed: true },
    ]);
    await limiter.reset('ann');
    expect((await limiter.consume('ann')).tightest.remaining).toBe(1);
  });

  it.each([
    ['undefined', undefined],
    ['a store of Sluice', { consume() {}, adjust() {} }],
    ['a store for express-rate-limit 5', { incr() {}, decrement() {}, resetKey() {} }],
  ])('is %s', (_, store) => {
    expect(() => storeOf(store as never)).toThrow('store must be a store for express-rate-limit 6 or later');
  });

  it('is one whose units cannot be given back, and says which method is missing', () => {
    const { increment, resetKey } = new PeerMemoryStore();
    const wrong = {
      code: 'SLUICE_OPTION',
      path: 'store',
      message: expect.stringMatching(/, which has decrement\(key\), got/),
    };
    expect(() => storeOf({ increment, resetKey } as never)).toThrow(expect.objectContaining(wrong));
  });

  it.each([
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: '30d' }, 'timeout'],
    [{ instances: 0 }, 'instances'],
    [{ prefix: 'rl:' }, 'prefix'],
  ])('are options such as %j', (options, path) => {
    const wrong = expect.objectContaining({ code: 'SLUICE_OPTION', path });
    expect(() => storeOf(new PeerMemoryStore(), options as never)).toThrow(wrong);
  });
});

describe('A store for express-rate-limit that fails', () => {
  const failing = (error: unknown, localKeys: boolean): PeerStore => ({
    localKeys,
    increment: () => Promise.reject(error),
    decrement: async () => {},
    resetKey: async () => {},
  });

  it.each([
    ['local', [200, 429]],
    ['allow', [200, 200]],
    ['deny', [503, 503]],
  ] as const)('is replaced by onStoreError %s', async (onStoreError, expected) => {
    const cause = new Error('connection lost');
    const errors: unknown[] = [];
    const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
    try {
      const app = appOf({ limit: perMinute(1), onStoreError, store: over(failing(cause, false)) });
      expect(await statuses(app, '/', '/')).toEqual(expected);
    } finally {
      stop();
    }
    expect(errors[0]).toMatchObject({
      code: 'SLUICE_STORE',
      message: 'the store for express-rate-limit failed: connection lost (SLUICE_STORE)',
      cause,
    });
  });

  it.each([
    ['no number', { totalHits: 'many', resetTime: new Date() }],
    ['no time', { totalHits: 1, resetTime: new Date(Number.NaN) }],
    ['nothing', undefined],
  ])('is one that returns %s', async (_, answer) => {
    const peer = { ...failing(undefined, true), increment: () => answer } as unknown as ExpressRateLimitStore;
    const app = appOf({ limit: perMinute(1), onStoreError: 'deny', store: over(peer) });
    expect(await statuses(app, '/')).toEqual([503]);
  });

  it.each([false, true])('is replaced after its timeout if it hangs: localKeys %p', async (localKeys) => {
    const peer = { ...failing(undefined, localKeys), increment: () => new Promise<never>(() => {}) };
    const app = appOf({ limit: perMinute(2), store: over(peer, { timeout: '20ms', instances: localKeys ? 2 : 1 }) });
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 200, 429]);
  });

  it('decides again when it has recovered', async () => {
    const peer = new PeerMemoryStore();
    let isGone = true;
    const away = { ...failing(new Error('gone'), false), get: (key: string) => peer.get(key) };
    const increment = async (key: string) => (isGone ? Promise.reject(new Error('gone')) : peer.increment(key));
    const init = (options: { windowMs: number }) => peer.init(options as never);
    const shutdown = () => peer.shutdown();
    const limiter = createLimiter({ limit: perMinute(99), store: over({ ...away, init, increment, shutdown }) });
    for (let i = 0; i < 6; i += 1) expect((await limiter.consume('ann')).source).toBe('local');
    isGone = false;
    await until(async () => (await limiter.consume('ann')).source === 'store', 20);
    expect((await limiter.peek('ann')).tightest.remaining).toBe(98);
  });

  it('is initialized again at the next call if that has failed', async () => {
    let tries = 0;
    const peer = new PeerMemoryStore();
    const init = peer.init.bind(peer);
    const flaky = Object.assign(peer, {
      init: async (options: Parameters<typeof init>[0]) => {
        tries += 1;
        if (tries === 1) throw new Error('not yet');
        init(options);
      },
    });
    const limiter = createLimiter({ limit: perMinute(1), store: over(flaky) });
    await new Promise(setImmediate);
    expect((await limiter.consume('ann')).source).toBe('store');
    await limiter.consume('ann');
    expect(tries).toBe(2);
  });
});

describe('rate-limit-redis', () => {
  let client: Redis;
  withRedis((given) => {
    client = given;
  });

  const overRedis = (prefix: string) =>
    over(
      new PeerRedisStore({
        prefix,
        sendCommand: (command: string, ...args: string[]) => client.call(command, ...args) as Promise<RedisReply>,
      }),
      { timeout: '5s' },
    );

  it('admits the limit over all instances, and refuses requests above it', async () => {
    const apps = [1, 2].map(() => appOf({ limit: perMinute(3), store: overRedis('a:'), keyGenerator: everyone() }));
    const [one, other] = apps as [Express, Express];
    expect(await statuses(one, '/', '/')).toEqual([200, 200]);
    const { headers } = await request(other).get('/');
    expect(headers).toMatchObject({ 'ratelimit-policy': '"per-1m";q=3;w=60', 'x-ratelimit-remaining': '0' });
    expect(await statuses(other, '/')).toEqual([429]);
    expect(await statuses(one, '/')).toEqual([429]);
    const [key] = await client.keys('a:*');
    expect(await client.pttl(key as string)).toBeGreaterThan(0);
  });

  it('gives back charges of failed requests, and supports peek and reset', async () => {
    const limiter = rateLimit({ limit: perMinute(3), store: overRedis('b:'), skipFailedRequests: true });
    const app = express();
    app.use(limiter);
    app.get('/', (_req, res) => void res.send('hello'));
    app.get('/broken', (_req, res) => void res.status(500).send('broken'));
    expect(await statuses(app, '/', '/broken', '/broken', '/broken')).toEqual([200, 500, 500, 500]);
    const key = ipKey('127.0.0.1');
    const remaining = async () => (await limiter.peek(key)).tightest.remaining;
    await until(async () => (await remaining()) === 2);
    expect(await statuses(app, '/', '/', '/')).toEqual([200, 200, 429]);
    await limiter.reset(key);
    expect(await remaining()).toBe(3);
    expect(await client.keys('b:*')).toEqual([]);
  });
});
