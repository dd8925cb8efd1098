import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import {
  boundOf,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  leakyBucket,
  type PolicyOptions,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { MemoryStore as PeerStore } from 'express-rate-limit';
import { Redis } from 'ioredis';

const ten = { limit: 10, window: '1m' } as const;

/** Options that a program without types may write. */
type Anything = Readonly<Record<string, unknown>>;

function make(options: unknown) {
  return createLimiter(options as PolicyOptions<[subject: string], false>);
}

const duration =
  "must be a duration of at least 1 ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years";
const thePage = 'the page options.md of @sluice/core lists the options';

describe('A wrong option of a policy', () => {
  it.each<[message: string, options: unknown, path: string]>([
    ['options must be an object, got undefined', undefined, 'options'],
    ['options must be an object, got null', null, 'options'],
    ['options must be an object, got 100', 100, 'options'],
    ['options must be an object, got an array', [ten], 'options'],
    ['windowMs is not an option: use window, got 60000', { limit: 10, windowMs: 60_000 }, 'windowMs'],
    ['timeWindow is not an option: use window, got "1m"', { limit: 10, timeWindow: '1m' }, 'timeWindow'],
    ['ttl is not an option: use window, got 60', { limit: 10, ttl: 60 }, 'ttl'],
    ['max is not an option: use limit, got 10', { max: 10, window: '1m' }, 'max'],
    ['points is not an option: use limit, got 10', { points: 10, window: '1m' }, 'points'],
    ['key is not an option: use keyGenerator, got a function', { ...ten, key: () => 'a' }, 'key'],
    ['weight is not an option: use cost, got 2', { ...ten, weight: 2 }, 'weight'],
    ['dryRun is not an option: use enforce, got true', { ...ten, dryRun: true }, 'dryRun'],
    [
      'blockDuration is not an option: it is an option of a Limit, use limit: slidingWindow({ limit, window, blockDuration }), got "1h"',
      { ...ten, blockDuration: '1h' },
      'blockDuration',
    ],
    [
      'countRejected is not an option: it is an option of a Limit, use limit: slidingWindow({ limit, window, countRejected }), got true',
      { ...ten, countRejected: true },
      'countRejected',
    ],
    [
      'limits[0].buckets is not an option: it is an option of a Limit, use limit: slidingWindow({ limit, window, buckets }), got 5',
      { limits: [{ ...ten, buckets: 5 }] },
      'limits[0].buckets',
    ],
    [
      'capacity is not an option: it is an option of a Limit, use limit: tokenBucket({ capacity, refillRate }), got 5',
      { capacity: 5, refillRate: 1 },
      'capacity',
    ],
    [
      'refillRate is not an option: it is an option of a Limit, use limit: tokenBucket({ capacity, refillRate }), got 1',
      { ...ten, refillRate: 1 },
      'refillRate',
    ],
    [
      'burst is not an option: it is an option of a Limit, use limit: tokenBucket({ capacity, refillRate }), got 5',
      { ...ten, burst: 5 },
      'burst',
    ],
    [
      'algorithm is not an option: choose limit: slidingWindow({ ... }), fixedWindow({ ... }), tokenBucket({ ... }), got "fixed-window"',
      { ...ten, algorithm: 'fixed-window' },
      'algorithm',
    ],
    [`colour is not an option: ${thePage}, got "red"`, { ...ten, colour: 'red' }, 'colour'],
    [
      'limits[1].windowMs is not an option: use window, got 5',
      { limits: [ten, { limit: 1, windowMs: 5 }] },
      'limits[1].windowMs',
    ],
    [
      `limits[0].skip is not an option: ${thePage}, got a function`,
      { limits: [{ ...ten, skip: () => true }] },
      'limits[0].skip',
    ],
    ['limits[0].limits is not an option: use limit, got an array', { limits: [{ limits: [ten] }] }, 'limits[0].limits'],
    ['limits[1] must be an object, got 5', { limits: [ten, 5] }, 'limits[1]'],
    ['limits[0] must be an object, got an array', { limits: [[ten]] }, 'limits[0]'],

    ['limit must be a number with a window, a Limit, or a function of either, got undefined', {}, 'limit'],
    ['limit needs the option window, got 10', { limit: 10 }, 'limit'],
    ['limits[1].limit needs the option window, got 10', { limits: [ten, { limit: 10 }] }, 'limits[1].limit'],
    ['limit must be a whole number of at least 0, got undefined', { window: '1m' }, 'limit'],
    ['limit must be a whole number of at least 0, got -1', { ...ten, limit: -1 }, 'limit'],
    ['limit must be a whole number of at least 0, got -0', { ...ten, limit: -0 }, 'limit'],
    ['limit must be a whole number of at least 0, got 1.5', { ...ten, limit: 1.5 }, 'limit'],
    ['limit must be a whole number of at least 0, got "10"', { ...ten, limit: '10' }, 'limit'],
    ['limit must be a whole number of at least 0, got Infinity', { ...ten, limit: Number.POSITIVE_INFINITY }, 'limit'],
    [
      'window must be left out beside a Limit, which has its own, got "1m"',
      { limit: slidingWindow(ten), window: '1m' },
      'window',
    ],
    [
      'limits[1].limit must be a whole number of at least 0, got NaN',
      { limits: [ten, { ...ten, limit: Number.NaN }] },
      'limits[1].limit',
    ],
    [
      'limits[1].limit must be at most 4503599627370495, to be counted exactly, got 4503599627370496',
      { limits: [ten, { limit: 2 ** 52, window: '1d' }] },
      'limits[1].limit',
    ],
    [
      'limit must be a number with a window, a Limit, or a function of either, got an object',
      { limit: { quota: 5 } },
      'limit',
    ],
    [
      'limit must be a Limit, as slidingWindow() or another constructor returns it, got an object',
      { limit: { algorithm: 'gcra', quota: 5 } },
      'limit',
    ],
    [
      'limit must be a Limit, as slidingWindow() or another constructor returns it, got an object',
      { limit: { algorithm: 'toString', quota: 5 } },
      'limit',
    ],
    [
      'limit.quota must be a whole number of at least 0, got "5"',
      { limit: { algorithm: 'fixed-window', quota: '5', windowMs: 1000 } },
      'limit.quota',
    ],
    [
      'limit.windowMs must be a whole number of at least 1, got undefined',
      { limit: { algorithm: 'fixed-window', quota: 5 } },
      'limit.windowMs',
    ],
    [
      'limit.buckets must be a whole number of at least 1, got 0',
      { limit: { ...slidingWindow(ten), buckets: 0 } },
      'limit.buckets',
    ],
    [
      'limit.refillUnits must be a whole number of at least 1, got 0',
      { limit: { ...leakyBucket({ capacity: 5, leakRate: 1 }), refillUnits: 0 } },
      'limit.refillUnits',
    ],
    [
      'limit.keepForMs must be a whole number of at least 1, got undefined',
      { limit: { algorithm: 'token-bucket', quota: 5, capacity: 5, refillUnits: 0, refillPeriodMs: 1 } },
      'limit.keepForMs',
    ],

    [`window ${duration}, got 0`, { ...ten, window: 0 }, 'window'],
    [`window ${duration}, got -5`, { ...ten, window: -5 }, 'window'],
    [`window ${duration}, got 0.5`, { ...ten, window: 0.5 }, 'window'],
    [`window ${duration}: use '1m', got "1 minute"`, { ...ten, window: '1 minute' }, 'window'],
    [`window ${duration}: use 60000, or '60000s' for seconds, got "60000"`, { ...ten, window: '60000' }, 'window'],
    [`window ${duration}, got "200000d"`, { ...ten, window: '200000d' }, 'window'],
    [`window ${duration}, got null`, { ...ten, window: null }, 'window'],
    [`limits[1].window ${duration}, got 0`, { limits: [ten, { limit: 5, window: 0 }] }, 'limits[1].window'],

    ['limits must be a list of at least one limit, got an empty array', { limits: [] }, 'limits'],
    ['limits must be a list of at least one limit, got an object', { limits: ten }, 'limits'],
    ['limit must not be beside limits: put it into one of them, got 10', { limit: 10, limits: [ten] }, 'limit'],
    ['window must not be beside limits: put it into one of them, got "1m"', { window: '1m', limits: [ten] }, 'window'],
    [
      'limits[1].cost must not be inside a Limit: write { limit: theLimit, ... }, got 5',
      { limits: [ten, { ...slidingWindow({ limit: 5, window: '1h' }), cost: 5 }] },
      'limits[1].cost',
    ],

    ['name must be 1 to 128 printable ASCII characters, got ""', { ...ten, name: '' }, 'name'],
    ['name must be 1 to 128 printable ASCII characters, got "größe"', { ...ten, name: 'größe' }, 'name'],
    ['name must be 1 to 128 printable ASCII characters, got "a\\nb"', { ...ten, name: 'a\nb' }, 'name'],
    ['name must be 1 to 128 printable ASCII characters, got 7', { ...ten, name: 7 }, 'name'],
    [
      `name must be 1 to 128 printable ASCII characters, got "${'x'.repeat(60)}"…`,
      { ...ten, name: 'x'.repeat(129) },
      'name',
    ],
    [
      'limits[1].name must be 1 to 128 printable ASCII characters, got ""',
      { limits: [ten, { ...ten, name: '' }] },
      'limits[1].name',
    ],

    ['cost must be a whole number of at least 0, got -1', { ...ten, cost: -1 }, 'cost'],
    ['cost must be a whole number of at least 0, got 0.5', { ...ten, cost: 0.5 }, 'cost'],
    ['cost must be a whole number of at least 0, got "1"', { ...ten, cost: '1' }, 'cost'],
    [
      'limits[0].cost must be a whole number of at least 0, got -1',
      { limits: [{ ...ten, cost: -1 }] },
      'limits[0].cost',
    ],
    [
      'cost does not apply to a concurrency limit: a request takes one slot, got 2',
      { limit: { algorithm: 'concurrency', quota: 3, leaseMs: 1000 }, cost: 2 },
      'cost',
    ],

    ["enforce must be a number from 0 to 1, or 'mark', got 1.5", { ...ten, enforce: 1.5 }, 'enforce'],
    ["enforce must be a number from 0 to 1, or 'mark', got -0.1", { ...ten, enforce: -0.1 }, 'enforce'],
    ["enforce must be a number from 0 to 1, or 'mark', got NaN", { ...ten, enforce: Number.NaN }, 'enforce'],
    ["enforce must be a number from 0 to 1, or 'mark', got false", { ...ten, enforce: false }, 'enforce'],
    [
      "limits[0].enforce must be a number from 0 to 1, or 'mark', got 2",
      { limits: [{ ...ten, enforce: 2 }] },
      'limits[0].enforce',
    ],

    ['keyGenerator must be a function, got "ip"', { ...ten, keyGenerator: 'ip' }, 'keyGenerator'],
    ['keyGenerator must be a function, got null', { ...ten, keyGenerator: null }, 'keyGenerator'],
    ['keyGenerator must have at least one part, got an empty array', { ...ten, keyGenerator: [] }, 'keyGenerator'],
    ['keyGenerator[1] must be a function, got "ip"', { ...ten, keyGenerator: [() => 'a', 'ip'] }, 'keyGenerator[1]'],
    [
      'limits[0].keyGenerator must be a function, got 5',
      { limits: [{ ...ten, keyGenerator: 5 }] },
      'limits[0].keyGenerator',
    ],

    ['skip must be a function, got true', { ...ten, skip: true }, 'skip'],
    [
      'onStoreError must be one of "local", "allow", "deny", got "open"',
      { ...ten, onStoreError: 'open' },
      'onStoreError',
    ],
    ['store must be a store, like new MemoryStore(), got an object', { ...ten, store: {} }, 'store'],
    [
      'store must be a store, like new MemoryStore(): use storeOf(store) of @sluice/express/store-of, got an object',
      { ...ten, store: new PeerStore() },
      'store',
    ],
    [
      'store must be a store, like new MemoryStore(): use new RedisStore({ client }), got an object',
      { ...ten, store: new Redis({ lazyConnect: true }) },
      'store',
    ],
    ['store must be a store, like new MemoryStore(), got null', { ...ten, store: null }, 'store'],
    ['store must be a store, like new MemoryStore(), got "redis://"', { ...ten, store: 'redis://' }, 'store'],
  ])('is refused: %s', (message, options, path) => {
    expect(() => make(options)).toThrow(
      expect.objectContaining({
        name: 'SluiceError',
        code: 'SLUICE_OPTION',
        path,
        message: `${message} (SLUICE_OPTION)`,
      }),
    );
  });

  it('is not in the error if it is an object, such as a whole request', () => {
    const store = { any: 'thing' };
    expect(() => make({ ...ten, store })).toThrow(expect.not.objectContaining({ received: expect.anything() }));
  });

  it('has another code if two limits have one name', () => {
    expect(() => make({ limits: [ten, ten] })).toThrow(
      expect.objectContaining({
        code: 'SLUICE_DUPLICATE_NAME',
        path: 'limits[1].name',
        received: 'per-1m',
        message:
          'limits[1] and limits[0] are both named "per-1m": give one of them another name (SLUICE_DUPLICATE_NAME)',
      }),
    );
  });
});

describe('Options', () => {
  const written = (): Anything => ({
    name: 'api',
    cost: 2,
    enforce: 0.5,
    keyGenerator: [() => 'a', () => 'b'],
    limits: [tokenBucket({ capacity: 5, refillRate: 1 }), { limit: 5, window: '1m', cost: 1 }],
    skip: undefined,
    onStoreError: 'deny',
  });

  it('are left as they are, and may be frozen', () => {
    const options = written();
    const before = structuredClone({ ...options, keyGenerator: undefined });
    for (const value of Object.values(options)) Object.freeze(value);
    const limiter = make(Object.freeze(options));
    limiter.consume('ann');
    expect({ ...options, keyGenerator: undefined }).toEqual(before);
  });

  it('have no effect if they are changed afterwards', () => {
    const limits = [{ limit: 5, window: '1m' }];
    const keyGenerator = [(subject: string) => subject];
    const limiter = make({ limits, keyGenerator });
    (limits[0] as { limit: number }).limit = 0;
    limits.length = 0;
    keyGenerator[0] = () => 'all';
    limiter.consume('bob');
    expect(limiter.consume('ann')).toMatchObject({ allowed: true, tightest: { remaining: 4 } });
  });

  it('that are undefined count as absent', () => {
    const absent = { name: undefined, cost: undefined, enforce: undefined, keyGenerator: undefined };
    const limiter = make({
      ...absent,
      limits: [{ ...ten, ...absent }],
      limit: undefined,
      window: undefined,
      store: undefined,
      skip: undefined,
      onStoreError: undefined,
    });
    expect(limiter.consume('ann')).toMatchObject({
      policy: 'default',
      allowed: true,
      tightest: { name: 'per-1m', remaining: 9 },
    });
  });

  it.each([
    slidingWindow(ten),
    slidingWindowLog(ten),
    slidingWindowCounter(ten),
    fixedWindow({ limit: 0, window: { unit: 'day', timeZone: 'UTC' } }),
    tokenBucket({ capacity: 0, refillRate: 0 }),
    tokenBucket({ capacity: 5, refillRate: 2, refillInterval: '1m' }),
    leakyBucket({ capacity: 0, leakRate: 1 }),
    concurrency({ limit: 5, lease: '30s' }),
    unlimited(),
  ])('accept %p from a tier after a round trip through JSON', (limit) => {
    const tier = () => JSON.parse(JSON.stringify(limit));
    expect(make({ limit: tier }).peek('ann').tightest.limit).toEqual(limit);
  });

  it.each([
    ['an unknown time zone', { unit: 'day', timeZone: 'Mars/Olympus' }, 'timeZone', 'must be an IANA time zone name'],
    ['an offset', { unit: 'day', timeZone: '+02' }, 'timeZone', 'must be an IANA time zone name, not an offset'],
    ['an unknown unit', { unit: 'year', timeZone: 'UTC' }, 'unit', 'must be one of "hour", "day", "week", "month"'],
    ['no calendar at all', 'day', 'unit', 'must be one of "hour", "day", "week", "month"'],
  ])('refuse a Limit from JSON with %s, when it is made or returned', (_what, calendar, name, rule) => {
    const limit = { ...fixedWindow({ limit: 5, window: { unit: 'day', timeZone: 'UTC' } }), calendar } as Limit;
    const refused = (path: string) =>
      expect.objectContaining({
        code: 'SLUICE_OPTION',
        path: `${path}.calendar.${name}`,
        message: expect.stringContaining(rule),
      });
    expect(() => make({ limit })).toThrow(refused('limit'));
    expect(() => make({ limit: () => limit }).consume('ann')).toThrow(refused('limit()'));
    expect(() => boundOf(limit, '1d')).toThrow(refused('limit'));
  });

  it('accept a Limit after a round trip through JSON', () => {
    const limit: unknown = JSON.parse(JSON.stringify(tokenBucket({ capacity: 5, refillRate: 1, name: 'burst' })));
    expect(make({ limits: [limit] }).consume('ann').tightest).toMatchObject({ name: 'burst', remaining: 4 });
  });
});
