import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import {
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  type SluiceError,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  unlimited,
} from '@sluice/core';
import { anyPlainLimit, runs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { checkLimit } from '../../src/algorithms/check-limit.js';
import { isLimit } from '../../src/values/limit.js';
import { inWorld } from '../properties/world.js';
import { keptValue } from './kept-value.js';

/** The constructors as plain JavaScript may call them: with any value. */
type Make = (options: unknown) => Limit;

const WINDOWED: Record<string, unknown> = { limit: 10, window: '1m' };
const CONSTRUCTORS = {
  slidingWindow: [slidingWindow as Make, WINDOWED],
  slidingWindowLog: [slidingWindowLog as Make, WINDOWED],
  slidingWindowCounter: [slidingWindowCounter as Make, WINDOWED],
  fixedWindow: [fixedWindow as Make, WINDOWED],
  calendarWindow: [fixedWindow as Make, { limit: 10, window: { unit: 'day', timeZone: 'Europe/Rome' } }],
  tokenBucket: [tokenBucket as Make, { capacity: 10, refillRate: 5 }],
  tokenBucketByInterval: [tokenBucket as Make, { capacity: 10, refillRate: 5, refillInterval: '1s' }],
  leakyBucket: [leakyBucket as Make, { capacity: 10, leakRate: 5 }],
  concurrency: [concurrency as Make, { limit: 10, lease: '30s' }],
} as const;
type Name = keyof typeof CONSTRUCTORS;
const NAMES = Object.keys(CONSTRUCTORS) as Name[];

const amountOf = (name: Name): string => ('capacity' in CONSTRUCTORS[name][1] ? 'capacity' : 'limit');
const given = (name: Name, changed: object = {}): Record<string, unknown> => ({ ...CONSTRUCTORS[name][1], ...changed });
const make = (name: Name, changed: object = {}): Limit => CONSTRUCTORS[name][0](given(name, changed));

function refusal(name: Name, options: unknown): SluiceError {
  try {
    CONSTRUCTORS[name][0](options);
  } catch (error) {
    return error as SluiceError;
  }
  throw new Error(`${name} accepted ${JSON.stringify(options)}`);
}

const NO_COUNTS = [
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1.5,
  '10',
  -0,
  null,
  true,
  [],
  {},
  2 ** 53,
  undefined,
  10n,
];
const NO_DURATIONS = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5, 'soon', '60000', null, true, [], undefined];
const NO_RATES = [-1, Number.NaN, Number.POSITIVE_INFINITY, '5', null, true, [], {}, undefined, 1e-9];

describe.each(NAMES)('%s', (name) => {
  it.each(NO_COUNTS)(`refuses %p as an amount of units`, (wrong) => {
    const path = amountOf(name);
    const error = refusal(name, given(name, { [path]: wrong }));
    expect(error).toMatchObject({ code: 'SLUICE_OPTION', path, ...keptValue(wrong) });
    expect(error.message).toMatch(
      new RegExp(`^${path} must be a whole number (of at least 0|from 0 to 10000), got .+ \\(SLUICE_OPTION\\)$`),
    );
  });

  it.each([undefined, null, 5, 'limit', [], true])('refuses %p instead of options', (wrong) => {
    expect(refusal(name, wrong)).toMatchObject({ code: 'SLUICE_OPTION', path: 'options' });
  });

  it('refuses an unknown option, and lists the known ones', () => {
    const error = refusal(name, given(name, { colour: 'red' }));
    expect(error).toMatchObject({ code: 'SLUICE_OPTION', path: 'colour', received: 'red' });
    expect(error.message).toMatch(/^colour is not an option: the options are .*name.*, got "red"/);
    const hasPenalties = name !== 'leakyBucket' && name !== 'concurrency';
    expect(/countRejected, blockDuration/.test(error.message)).toBe(hasPenalties);
  });

  it('ignores an unknown option that is undefined', () => {
    expect(make(name, { colour: undefined })).toEqual(make(name));
  });

  it('accepts 0 units, which refuses every request', () =>
    inWorld((world) => {
      const limit = make(name, { [amountOf(name)]: 0 });
      expect(world.consume(limit)).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 'never', delayMs: 0 });
      expect(world.consume(limit, 0).allowed).toBe(false);
    }));

  it('is frozen, and does not change the options', () => {
    const options = Object.freeze(given(name));
    const before = structuredClone(options);
    const limit = CONSTRUCTORS[name][0](options);
    expect(Object.isFrozen(limit)).toBe(true);
    expect(Object.isFrozen(limit.calendar ?? limit)).toBe(true);
    expect(options).toEqual(before);
  });

  it('accepts a name, and refuses one that a header cannot carry', () => {
    expect(make(name, { name: 'per minute' }).name).toBe('per minute');
    expect(make(name)).not.toHaveProperty('name');
    for (const wrong of ['', 'é', 'a\nb', 'x'.repeat(129), 5, null]) {
      const error = refusal(name, given(name, { name: wrong }));
      expect(error).toMatchObject({ code: 'SLUICE_OPTION', path: 'name', received: wrong });
      expect(error.message).toMatch(/^name must be 1 to 128 printable ASCII characters, got /);
    }
  });
});

describe('a round trip through JSON', () => {
  it('returns an equal limit that works the same', () => {
    const anyLimit = fc.oneof(...Object.values(strictLimits), anyPlainLimit);
    fc.assert(
      fc.property(anyLimit, fc.array(fc.nat(4), { maxLength: 12 }), (limit, costs) =>
        inWorld((world) => {
          const copy = JSON.parse(JSON.stringify(limit)) as Limit;
          expect(copy).toEqual(limit);
          expect(isLimit(copy)).toBe(true);
          for (const cost of costs) {
            const check = (key: string, its: Limit) => world.check(its, cost, { key });
            expect(world.ask([check('b', copy)]).verdicts).toEqual(world.ask([check('a', limit)]).verdicts);
          }
        }),
      ),
      runs(3),
    );
  });

  it('keeps unlimited', () => {
    expect(JSON.parse(JSON.stringify(unlimited()))).toEqual({ algorithm: 'unlimited', quota: 2 ** 53 - 1 });
    expect(Object.isFrozen(unlimited())).toBe(true);
  });
});

describe('a wrong option', () => {
  const cases: [Name, string, readonly unknown[], RegExp][] = [
    ...(['slidingWindow', 'slidingWindowLog', 'slidingWindowCounter', 'fixedWindow'] as const).map(
      (name): [Name, string, readonly unknown[], RegExp] => [
        name,
        'window',
        NO_DURATIONS,
        /must be (a duration of at least 1 ms|an object)/,
      ],
    ),
    ['slidingWindow', 'buckets', [0, -1, 1001, 1.5, '20', Number.NaN, -0], /must be a whole number from 1 to 1000/],
    ['slidingWindowLog', 'limit', [10_001], /must be a whole number from 0 to 10000/],
    ['fixedWindow', 'align', ['CLOCK', 1, true, ''], /must be one of "first-request", "clock"/],
    ['calendarWindow', 'align', ['clock', 'first-request'], /does not apply to a calendar window/],
    ['tokenBucket', 'refillRate', NO_RATES, /must be (a number of units per second|0 or at least 0\.000001)/],
    ['tokenBucketByInterval', 'refillRate', NO_COUNTS, /must be a whole number of at least 0/],
    ['tokenBucketByInterval', 'refillInterval', NO_DURATIONS.slice(0, -1), /must be a duration of at least 1 ms/],
    ['tokenBucket', 'keepFor', ['1d'], /applies only with refillRate: 0/],
    ['leakyBucket', 'leakRate', [...NO_RATES, 0], /must be (a number of units|above 0|0 or at least)/],
    ['concurrency', 'limit', [10_001], /must be a whole number from 0 to 10000/],
    ['concurrency', 'lease', [...NO_DURATIONS, 999, '999ms'], /must be a duration of at least 1000 ms/],
  ];

  it.each(cases)('of %s is refused by path, rule and value: %s', (name, path, wrongs, rule) => {
    for (const wrong of wrongs) {
      const error = refusal(name, given(name, { [path]: wrong }));
      expect(error).toMatchObject({ name: 'SluiceError', code: 'SLUICE_OPTION', path, ...keptValue(wrong) });
      expect(error.message).toMatch(rule);
      expect(error.message).toMatch(/, got .+ \(SLUICE_OPTION\)$/);
      expect(error.message.startsWith(path)).toBe(true);
    }
  });

  it('of a calendar window is refused: an unknown word beside the unit and the time zone', () => {
    const window = { unit: 'day', timeZone: 'UTC', zone: 'Europe/Rome' };
    const error = refusal('calendarWindow', given('calendarWindow', { window }));
    expect(error).toMatchObject({ code: 'SLUICE_OPTION', path: 'window.zone', received: 'Europe/Rome' });
  });

  it.each<[Name, string, string]>([
    ['slidingWindow', 'windowMs', 'window'],
    ['slidingWindow', 'timeWindow', 'window'],
    ['slidingWindow', 'max', 'limit'],
    ['fixedWindow', 'points', 'limit'],
    ['fixedWindow', 'duration', 'window, with a unit: a bare number is in milliseconds'],
    ['tokenBucket', 'burst', 'capacity'],
    ['tokenBucket', 'rate', 'refillRate'],
    ['leakyBucket', 'leak', 'leakRate'],
    ['leakyBucket', 'refillRate', 'leakRate'],
    ['tokenBucket', 'leakRate', 'refillRate'],
    ['concurrency', 'leaseMs', 'lease'],
    ['slidingWindow', 'blockMs', 'blockDuration'],
  ])('of %s that other libraries call %s has a suggestion: use %s', (name, wrong, right) => {
    const error = refusal(name, given(name, { [wrong]: 60 }));
    expect(error).toMatchObject({ code: 'SLUICE_OPTION', path: wrong });
    expect(error.message).toContain(`${wrong} is not an option: use ${right}, got 60`);
  });

  it('is not answered with an option that the limit lacks', () => {
    expect(refusal('concurrency', given('concurrency', { windowMs: 60 })).message).not.toContain('use window');
  });

  it.each<[object, string]>([
    [{ unit: 'year', timeZone: 'UTC' }, 'window.unit'],
    [{ unit: undefined, timeZone: 'UTC' }, 'window.unit'],
    [{ unit: 'day' }, 'window.timeZone'],
    [{ unit: 'day', timeZone: 'Europe/Atlantis' }, 'window.timeZone'],
    [{ unit: 'day', timeZone: 'UTC', zone: 'UTC' }, 'window.zone'],
    [[], 'window'],
  ])('of a calendar window %j is named %s', (window, path) => {
    expect(refusal('fixedWindow', { limit: 1, window })).toMatchObject({ code: 'SLUICE_OPTION', path });
  });

  it.each<[Name, unknown, string]>([
    ['slidingWindow', 'yes', 'countRejected'],
    ['slidingWindow', 1, 'countRejected'],
    ['tokenBucket', 'Always', 'countRejected'],
    ['fixedWindow', 0, 'blockDuration'],
    ['fixedWindow', 'long', 'blockDuration'],
    ['leakyBucket', true, 'countRejected'],
    ['leakyBucket', '1m', 'blockDuration'],
    ['concurrency', 'always', 'countRejected'],
    ['concurrency', '1m', 'blockDuration'],
  ])('of %s, %j, is named %s', (name, wrong, path) => {
    expect(refusal(name, given(name, { [path]: wrong }))).toMatchObject({
      code: 'SLUICE_OPTION',
      path,
      received: wrong,
    });
  });

  it("is countRejected in a bucket that never refills, except 'always'", () => {
    const options = { capacity: 5, refillRate: 0 };
    expect(refusal('tokenBucket', { ...options, countRejected: true })).toMatchObject({ path: 'countRejected' });
    expect(tokenBucket({ ...options, countRejected: 'always' }).countRejected).toBe('always');
  });
});

describe('a product', () => {
  it.each<[Name, object, string]>([
    [
      'slidingWindow',
      { limit: 2 ** 52, window: 1000 },
      'limit must be at most 4503599627370495, to be counted exactly',
    ],
    [
      'slidingWindowCounter',
      { limit: 52_125_000, window: '1d' },
      'limit must be at most 52124995, to be counted exactly over 86400000 ms',
    ],
    ['fixedWindow', { limit: 2 ** 52, window: 1 }, 'limit must be at most 4503599627370495, to be counted exactly'],
    ['calendarWindow', { limit: 2 ** 52 }, 'limit must be at most 4503599627370495, to be counted exactly'],
    [
      'tokenBucket',
      { capacity: 2 ** 52, refillRate: 1000 },
      'capacity must be at most 4503599627370495, to be counted exactly over 1 ms',
    ],
    [
      'tokenBucket',
      { capacity: 4_503_600, refillRate: 1e-6 },
      'capacity must be at most 4503599, to be counted exactly over 1000000000 ms',
    ],
    [
      'tokenBucketByInterval',
      { capacity: 2 ** 50, refillInterval: '1m' },
      'capacity must be at most 75059993789, to be counted exactly over 60000 ms',
    ],
    [
      'leakyBucket',
      { capacity: 2 ** 52, leakRate: 1 },
      'capacity must be at most 4503599627370, to be counted exactly over 1000 ms',
    ],
  ])('of %s that cannot be counted exactly is refused, with the largest exact one: %j', (name, changed, end) => {
    const [path] = end.split(' ');
    const error = refusal(name, given(name, changed));
    expect(error).toMatchObject({ code: 'SLUICE_OPTION', path });
    expect(error.message).toContain(`${end}, got `);
    const most = Number(/at most (\d+)/.exec(end)?.[1]);
    expect(make(name, { ...changed, [path as string]: most })).toMatchObject({ quota: most });
    expect(refusal(name, given(name, { ...changed, [path as string]: most + 1 }))).toMatchObject({ path });
  });

  it.each<[string, unknown]>([
    ['fixedWindow', { ...fixedWindow({ limit: 5, window: '1ms' }), quota: 2 ** 52 }],
    ['slidingWindow', { ...slidingWindow({ limit: 5, window: '1ms' }), quota: 2 ** 52 }],
    ['slidingWindowCounter', { ...slidingWindowCounter({ limit: 5, window: '1d' }), quota: 52_124_996 }],
    ['slidingWindowLog', { ...slidingWindowLog({ limit: 5, window: '1ms' }), quota: 10_001 }],
    ['tokenBucket', { ...tokenBucket({ capacity: 5, refillRate: 1 }), quota: 4_503_599_627_371 }],
  ])('of a %s from JSON is also refused', (_name, limit) => {
    expect(() => checkLimit(limit, 'limits[1]')).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'limits[1].quota' }),
    );
  });

  it.each<[Name, object]>([
    ['slidingWindow', { limit: 10_000_000, window: '30d' }],
    ['calendarWindow', { limit: 5_000_000, window: { unit: 'month', timeZone: 'UTC' } }],
    ['slidingWindow', { limit: 2 ** 52 - 1, window: '36525d' }],
    ['fixedWindow', { limit: 2 ** 52 - 1, window: 1 }],
    ['tokenBucket', { capacity: 2 ** 52 - 1, refillRate: 1000 }],
    ['tokenBucket', { capacity: 4_503_599, refillRate: 1e-6 }],
  ])('of %s at the maximum is accepted: %j', (name, changed) => {
    expect(Object.isFrozen(make(name, changed))).toBe(true);
  });
});

describe('the result', () => {
  it.each<[Limit, object]>([
    [
      slidingWindow({ limit: 5, window: '1m' }),
      { algorithm: 'sliding-window', quota: 5, windowMs: 60_000, buckets: 20 },
    ],
    [slidingWindowLog({ limit: 5, window: '10ms' }), { algorithm: 'sliding-window-log', quota: 5, windowMs: 10 }],
    [
      slidingWindowCounter({ limit: 5, window: '1s' }),
      { algorithm: 'sliding-window-counter', quota: 5, windowMs: 1000 },
    ],
    [
      fixedWindow({ limit: 5, window: '1s' }),
      { algorithm: 'fixed-window', quota: 5, windowMs: 1000, align: 'first-request' },
    ],
    [
      fixedWindow({ limit: 5, window: { unit: 'month', timeZone: 'UTC' } }),
      { algorithm: 'fixed-window', quota: 5, windowMs: 31 * 86_400_000, calendar: { unit: 'month', timeZone: 'UTC' } },
    ],
    [
      tokenBucket({ capacity: 5, refillRate: 0.1 }),
      { algorithm: 'token-bucket', quota: 5, capacity: 5, refillUnits: 1, refillPeriodMs: 10_000 },
    ],
    [
      tokenBucket({ capacity: 5, refillRate: 3, refillInterval: '1m' }),
      { algorithm: 'token-bucket', quota: 5, capacity: 5, refillUnits: 3, refillPeriodMs: 60_000, byInterval: true },
    ],
    [
      tokenBucket({ capacity: 5, refillRate: 0, refillInterval: '1m' }),
      {
        algorithm: 'token-bucket',
        quota: 5,
        capacity: 5,
        refillUnits: 0,
        refillPeriodMs: 1,
        keepForMs: 30 * 86_400_000,
      },
    ],
    [
      leakyBucket({ capacity: 5, leakRate: 2 }),
      { algorithm: 'leaky-bucket', quota: 5, capacity: 5, refillUnits: 1, refillPeriodMs: 500 },
    ],
    [concurrency({ limit: 5, lease: '30s' }), { algorithm: 'concurrency', quota: 5, leaseMs: 30_000 }],
    [
      slidingWindow({ limit: 5, window: '10ms', name: 'n', countRejected: true, blockDuration: '1h', buckets: 3 }),
      {
        algorithm: 'sliding-window',
        quota: 5,
        windowMs: 10,
        buckets: 3,
        name: 'n',
        countRejected: true,
        blockMs: 3_600_000,
      },
    ],
    [
      slidingWindowLog({ limit: 5, window: '10ms', countRejected: false }),
      { algorithm: 'sliding-window-log', quota: 5, windowMs: 10 },
    ],
  ])('is plain data: %j', (limit, data) => {
    expect(limit).toEqual(data);
    expect(Object.keys(limit).sort()).toEqual(Object.keys(data).sort());
    expect(isLimit(limit)).toBe(true);
  });

  it.each([undefined, null, 5, 'limit', {}, { limit: 5, window: 10 }, { algorithm: 'token-bucket' }, { quota: 5 }])(
    'differs from %j',
    (value) => {
      expect(isLimit(value)).toBe(false);
    },
  );
});
