import { describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, MemoryStore } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import fc from 'fast-check';
import { compilePolicy } from '../../src/compile/compile-policy.js';
import { explainPolicies } from '../../src/explain/explain-policies.js';
import type { ExplainedLimit } from '../../src/explain/explanation.js';
import type { PolicyFile } from '../../src/file/policy-file.js';
import { readPolicyFile } from '../../src/file/read-policy-file.js';

/** `npm run proof` asks for more. */
const RUNS = Number(process.env.SLUICE_RUNS ?? 60);

const START_MS = Date.UTC(2026, 5, 15, 12);
const REQUEST = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };

const quotas = fc.integer({ min: 1, max: 50 });
const windows = fc.constantFrom('1s', '10s', '1m', '5m', '90s', '1h', '1d');
const blocks = fc.option(fc.constantFrom('1s', '1m', '90m'), { nil: undefined });
const rates = fc.constantFrom(0.1, 0.5, 1, 5, 10);

/** One limit, as a file states it. */
const limits = fc.oneof(
  fc.record({
    algorithm: fc.constantFrom('sliding-window', 'sliding-window-log', 'sliding-window-counter', 'fixed-window'),
    limit: quotas,
    window: windows,
    blockDuration: blocks,
  }),
  fc.record({
    algorithm: fc.constant('fixed-window'),
    limit: quotas,
    window: fc.record({
      unit: fc.constantFrom('hour', 'day', 'week', 'month'),
      timeZone: fc.constantFrom('UTC', 'Asia/Tokyo'),
    }),
  }),
  fc.record({ algorithm: fc.constant('token-bucket'), capacity: quotas, refillRate: rates, blockDuration: blocks }),
  fc.record({
    algorithm: fc.constant('token-bucket'),
    capacity: quotas,
    refillRate: fc.integer({ min: 1, max: 5 }),
    refillInterval: windows,
  }),
);

/** The explained limit of a file with one limit, and a limiter with the same file. */
interface Case {
  readonly text: string;
  readonly explained: ExplainedLimit;
  readonly clock: ManualClock;
  readonly limiter: Limiter<object, false>;
}

function caseOf(limit: object, policy: object = {}): Case {
  const { file, mistakes } = readPolicyFile(
    JSON.stringify({ version: 1, policies: { api: { limits: [{ name: 'own', ...limit }], ...policy } } }),
  );
  expect(mistakes).toBeUndefined();
  const [api] = explainPolicies(file as PolicyFile, { nowMs: START_MS });
  const explained = api?.limits[0] as ExplainedLimit;
  const clock = new ManualClock(START_MS);
  const limiter = createLimiter<object, false>(
    compilePolicy(file as PolicyFile, 'api', { store: closedAfterTest(new MemoryStore({ clock })) }),
  );
  return { text: explained.text, explained, clock, limiter };
}

const isAllowed = ({ limiter }: Case): boolean => limiter.consume(REQUEST).allowed;

/** How many requests are admitted at once. */
function admitted(one: Case): number {
  let count = 0;
  while (isAllowed(one)) count += 1;
  return count;
}

const UNITS_MS = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const COUNT = '([\\d,.]+)';
const UNIT = '(millisecond|second|minute|hour|day)s?';

const numberOf = (text = ''): number => Number(text.replaceAll(',', ''));

/** The milliseconds of `5 minutes`, or of `minute`. */
const msOf = (count: string | undefined, unit: string | undefined): number =>
  (count === undefined ? 1 : numberOf(count)) * UNITS_MS[unit as keyof typeof UNITS_MS];

/** What each kind of claim says, and how the running limiter shows that it is true. Every claim removes its words. */
const CLAIMS: readonly (readonly [RegExp, (one: Case, numbers: readonly (string | undefined)[]) => void])[] = [
  [
    new RegExp(`, never more than ${COUNT} in any (?:${COUNT} )?${UNIT}`),
    (one, [most, count, unit]) => {
      expect(numberOf(most)).toBe(one.explained.most?.units);
      expect(msOf(count, unit)).toBe(one.explained.most?.windowMs);
    },
  ],
  [
    new RegExp(`^own: ${COUNT} requests? (?:an? |in ${COUNT} )${UNIT}\\.`),
    (one, [quota, count, unit]) => {
      const windowMs = msOf(count, unit);
      expect(admitted(one)).toBe(numberOf(quota));
      // A sub-window later than the window, or a whole one for the counter, everything is free again.
      one.clock.advance(2 * windowMs);
      const waitMs = Math.max(0, blockedMs(one));
      one.clock.advance(waitMs);
      expect(admitted(one)).toBe(numberOf(quota));
    },
  ],
  [
    new RegExp(`^own: ${COUNT} requests? an? (hour|day|week|month) \\((UTC|Asia/Tokyo)\\)\\.`),
    (one, [quota, unit]) => {
      expect(admitted(one)).toBe(numberOf(quota));
      const hours = { hour: 1, day: 24, week: 168, month: 744 }[unit as 'hour' | 'day' | 'week' | 'month'];
      one.clock.advance(hours * UNITS_MS.hour);
      expect(admitted(one)).toBe(numberOf(quota));
    },
  ],
  [
    new RegExp(`^own: bursts of ${COUNT} requests?, then ${COUNT} an? ${UNIT}\\.`),
    (one, [capacity, rate, unit]) => {
      expect(admitted(one)).toBe(numberOf(capacity));
      const waitMs = blockedMs(one);
      one.clock.advance(Math.max(waitMs, msOf(undefined, unit)));
      // What came back during a block is there, too.
      const times = Math.max(1, waitMs / msOf(undefined, unit));
      expect(admitted(one)).toBe(Math.min(numberOf(capacity), Math.floor(numberOf(rate) * times)));
    },
  ],
  [
    new RegExp(`^own: bursts of ${COUNT} requests?, then ${COUNT} together every ${COUNT} ${UNIT}\\.`),
    (one, [capacity, units, count, unit]) => {
      expect(admitted(one)).toBe(numberOf(capacity));
      one.clock.advance(msOf(count, unit) - 1);
      expect(admitted(one)).toBe(0);
      one.clock.advance(1);
      expect(admitted(one)).toBe(Math.min(numberOf(capacity), numberOf(units)));
    },
  ],
  [
    new RegExp(` A refused key stays refused for ${COUNT} ${UNIT}\\.`),
    (one, [count, unit]) => {
      // Another key than that of the other claims.
      const request = { ...REQUEST, ip: '203.0.113.8' };
      while (one.limiter.consume(request).allowed);
      const { retryAfterMs } = one.limiter.peek(request);
      expect(Number(retryAfterMs)).toBeGreaterThanOrEqual(msOf(count, unit));
      one.clock.advance(msOf(count, unit) - 1);
      expect(one.limiter.consume(request).allowed).toBe(false);
    },
  ],
];

function blockedMs({ explained }: Case): number {
  return explained.limit.blockMs ?? 0;
}

describe('every number that explain prints about a limit', () => {
  it('is what the running limiter does', () => {
    fc.assert(
      fc.property(limits, (limit) => {
        let rest = caseOf(limit).text;
        for (const [claim, check] of CLAIMS) {
          const match = claim.exec(rest);
          if (!match) continue;
          check(caseOf(limit), match.slice(1));
          rest = claim.source.startsWith('^') ? `own:${rest.slice(match[0].length)}` : rest.replace(match[0], '');
        }
        // Nothing is left that could be a number nobody has tried.
        expect(rest).toBe('own:');
      }),
      { numRuns: RUNS },
    );
  });

  it('has a worst case that no traffic exceeds, and that is at least the limit', () => {
    const gaps = fc.array(fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 100_000_000 })), {
      minLength: 5,
      maxLength: 60,
    });
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 5 }), gaps, (limit, cost, gapsMs) => {
        const one = caseOf(limit, { cost });
        const { units, windowMs } = one.explained.most as { units: number; windowMs: number };
        expect(one.text).toContain(`never more than ${units.toLocaleString('en-US')} in any`);
        const spent: (readonly [atMs: number, units: number])[] = [];
        for (const gapMs of gapsMs) {
          one.clock.advance(gapMs);
          for (let burst = 0; burst < 12 && isAllowed(one); burst += 1) spent.push([one.clock.now(), cost]);
        }
        for (const [fromMs] of spent) {
          const within = spent.filter(([atMs]) => atMs >= fromMs && atMs < fromMs + windowMs);
          expect(within.reduce((sum, [, own]) => sum + own, 0)).toBeLessThanOrEqual(units);
        }
        expect(units).toBeGreaterThanOrEqual(one.explained.limit.quota);
      }),
      { numRuns: RUNS },
    );
  });

  it('is attained at the end of a fixed window', () => {
    const one = caseOf({ algorithm: 'fixed-window', align: 'clock', limit: 10, window: '1m' });
    expect(one.text).toBe('own: 10 requests a minute, never more than 20 in any minute.');
    one.clock.advance(59_999);
    const before = admitted(one);
    one.clock.advance(1);
    expect(before + admitted(one)).toBe(20);
  });

  it.each([
    [
      { algorithm: 'leaky-bucket', capacity: 10, leakRate: 2 },
      'own: 2 a second at even intervals, 10 in the queue, never more than 121 leave in any minute.',
    ],
    [
      { algorithm: 'concurrency', limit: 3, lease: '30s' },
      'own: 3 requests at the same time. A request that nobody ends counts for 30 seconds.',
    ],
    [
      { algorithm: 'token-bucket', capacity: 10, refillRate: 0 },
      'own: bursts of 10 requests, then never more, never more than 10 in any minute. A key is forgotten 30 days after its last request.',
    ],
    [
      { limit: 100, window: '1m', tolerance: 0.1 },
      'own: 100 requests a minute, never more than 110 in any minute. Up to 10 % more is admitted, and not advertised.',
    ],
    [
      { limit: 100, window: '1m', countRejected: true },
      'own: 100 requests a minute, never more than 100 in any minute. Refused requests count, too.',
    ],
    [
      { limit: 100, window: '1m', enforce: 0.25 },
      'own: 100 requests a minute, never more than 100 in any minute. It is enforced for 25 % of keys, and only counts the others.',
    ],
    [
      { limit: 100, window: '1m', enforce: 'mark' },
      'own: 100 requests a minute, never more than 100 in any minute. Requests beyond it are marked, and not refused.',
    ],
    [
      { limit: 5, window: '15m', blockDuration: { first: '1m', max: '1h' } },
      'own: 5 requests in 15 minutes, never more than 5 in any 15 minutes. A refused key stays refused for 1 minute; each block is longer, up to 1 hour, and is short again after 1 hour without a block.',
    ],
  ])('stands in a sentence: %j', (limit, sentence) => {
    expect(caseOf(limit).text).toBe(sentence);
  });

  it('holds for a queue, for slots, for a tolerance and for blocks that grow', async () => {
    const queue = caseOf({ algorithm: 'leaky-bucket', capacity: 10, leakRate: 2 });
    const delays = Array.from({ length: 12 }, () => queue.limiter.consume(REQUEST)).map(
      ({ allowed, delayMs }) => allowed && delayMs,
    );
    expect(delays).toEqual([0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, false, false]);

    const slots = caseOf({ algorithm: 'concurrency', limit: 3, lease: '30s' });
    const take = () => slots.limiter.reserve(REQUEST).allowed;
    expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);

    expect(admitted(caseOf({ limit: 100, window: '1m', tolerance: 0.1 }))).toBe(110);

    const login = caseOf({ limit: 5, window: '15m', blockDuration: { first: '1m', max: '1h' } });
    admitted(login);
    expect(login.limiter.peek(REQUEST).retryAfterMs).toBe(15 * 60_000);
  });
});
