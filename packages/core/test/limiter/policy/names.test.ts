import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import {
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

type Options = PolicyOptions<[subject: string], false>;

function namesOf(options: Options): string[] {
  return createLimiter(options)
    .peek('ann')
    .verdicts.map(({ name }) => name);
}

describe('The name of a limit', () => {
  const minute = { limit: 5, window: '1m' } as const;
  const named = slidingWindow({ ...minute, name: 'burst' });

  it.each<[rule: string, name: string, options: Options]>([
    ["is the item's own", 'mine', { limits: [{ name: 'mine', limit: named }] }],
    ["is else the Limit's", 'burst', { limits: [{ limit: named }] }],
    ["is the Limit's where that stands in the list by itself", 'burst', { limits: [named] }],
    [
      "is the Limit's before the name of a policy of one limit, which is the policy's",
      'burst',
      { name: 'api', limit: named },
    ],
    ["is the policy's where that has one limit without a name", 'api', { name: 'api', ...minute }],
    ["is the policy's for a tier, too", 'api', { name: 'api', limit: () => slidingWindow(minute) }],
    ["is never the policy's in a list", 'per-1m', { name: 'api', limits: [minute] }],
  ])('%s: %s', (_, name, options) => {
    expect(namesOf(options)).toEqual([name]);
  });

  it.each<[name: string, what: string, options: Options]>([
    ['per-1m', 'a number in a window', minute],
    ['per-1m', 'the same window in seconds', { limit: 5, window: '60s' }],
    ['per-90s', 'a window that is no whole minute', { limit: 5, window: 90_000 }],
    ['per-1500ms', 'a window that is no whole second', { limit: 5, window: 1500 }],
    ['per-1d', 'a day', { limit: 5, window: '24h' }],
    ['per-1m', 'a function that answers a number', { limit: () => 5, window: '1m' }],
    ['per-1h', 'a sliding window log', { limit: slidingWindowLog({ limit: 5, window: '1h' }) }],
    ['per-1h', 'a sliding window counter', { limit: slidingWindowCounter({ limit: 5, window: '1h' }) }],
    ['per-1h', 'a fixed window', { limit: fixedWindow({ limit: 5, window: '1h' }) }],
    ['per-month', 'a calendar month', { limit: fixedWindow({ limit: 5, window: { unit: 'month', timeZone: 'UTC' } }) }],
    ['bucket', 'a token bucket', { limit: tokenBucket({ capacity: 5, refillRate: 1 }) }],
    ['queue', 'a leaky bucket', { limit: leakyBucket({ capacity: 5, leakRate: 1 }) }],
    ['concurrency', 'slots', { limit: concurrency({ limit: 5, lease: '30s' }) }],
    ['tier', 'a function that answers a Limit', { limit: () => slidingWindow(minute) }],
    ['unlimited', 'no limit', { limit: unlimited() }],
  ])('is by default %s for %s', (name, _, options) => {
    expect(namesOf(options)).toEqual([name]);
  });

  it('does not contain the limit, so that the limits of a tier share spent units', () => {
    let limit: Limit = slidingWindow({ limit: 2, window: '1m' });
    const limiter = createLimiter({ limit: () => limit });
    limiter.consume('ann', { cost: 2 });
    limit = slidingWindow({ limit: 3, window: '1m' });
    expect(limiter.consume('ann')).toMatchObject({ allowed: true, tightest: { name: 'tier', remaining: 0 } });
  });

  it.each<[what: string, limits: (Limit & object)[], path: string]>([
    ['two defaults', [slidingWindow(minute), slidingWindowLog(minute)], 'limits[1].name'],
    [
      'a given name and a default',
      [tokenBucket({ capacity: 1, refillRate: 1 }), slidingWindow({ ...minute, name: 'bucket' })],
      'limits[1].name',
    ],
    ['the first and the third', [named, slidingWindow(minute), named], 'limits[2].name'],
  ])('is refused if it occurs twice in one policy: %s', (_, limits, path) => {
    expect(() => createLimiter({ limits })).toThrow(
      expect.objectContaining({
        code: 'SLUICE_DUPLICATE_NAME',
        path,
        message: expect.stringMatching(/give one of them another name \(SLUICE_DUPLICATE_NAME\)$/),
      }),
    );
  });
});

describe('The name of a policy', () => {
  it("is 'default' unless it is given", () => {
    const limiter = createLimiter({ limit: 5, window: '1m' });
    expect([limiter.name, limiter.peek('ann').policy]).toEqual(['default', 'default']);
  });

  it('is the given one, in the decision as well', () => {
    const limiter = createLimiter({ name: 'login', limits: [slidingWindow({ limit: 5, window: '1m' })] });
    expect([limiter.name, limiter.consume('ann').policy]).toEqual(['login', 'login']);
  });
});
