import { describe, expect, it } from '@jest/globals';
import { type Advice, readRateLimit } from '@sluice/client';
import fc from 'fast-check';
import { SPELLED_FIELDS } from '../../src/headers/spelled-limits.js';
import { SPELLINGS, USAGES } from '../../src/headers/spellings.js';
import { HEADER_VECTORS, NOW_MS } from './header-vectors.js';

describe('readRateLimit', () => {
  it.each(HEADER_VECTORS)('reads $title', ({ headers, advice }) => {
    expect(readRateLimit(new Headers(headers), NOW_MS)).toEqual(advice);
    expect(readRateLimit(headers, NOW_MS)).toEqual(advice);
    expect(readRateLimit(Object.entries(headers), NOW_MS)).toEqual(advice);
  });

  it('knows at least 30 spellings, and each has a vector', () => {
    const met = new Set(
      HEADER_VECTORS.flatMap(({ headers }) => Object.keys(headers)).map((name) => name.toLowerCase()),
    );
    const unmet = SPELLINGS.filter(
      ({ names, limit = names.replace('*', 'limit'), marker = limit }) => !met.has(marker),
    );
    expect(unmet).toEqual([]);
    expect(USAGES.filter(({ field }) => !met.has(field))).toEqual([]);
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(30);
  });

  it('joins fields of a record that occur several times', () => {
    const headers = { 'ratelimit-policy': ['"a";q=10;w=1', '"b";q=20;w=60'], ratelimit: undefined };
    expect(readRateLimit(headers)).toEqual([
      { policy: 'a', unit: 'requests', limit: 10, windowMs: 1000 },
      { policy: 'b', unit: 'requests', limit: 20, windowMs: 60_000 },
    ]);
  });
});

describe('readRateLimit of a hostile server', () => {
  const NAMES = [...SPELLED_FIELDS, 'ratelimit', 'ratelimit-policy', 'date', 'age'];

  it('never throws, and returns only numbers that make sense', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        ';',
        ',',
        '=',
        'q=',
        'w=',
        'r=',
        't=',
        '(',
        ')',
        ':',
        '?1',
        '@',
        '%"',
        '-',
        '.',
        'm',
        's',
        'ms',
      ),
      fc.integer().map(String),
      fc.double().map(String),
      fc.string(),
    );
    const value = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const headers = fc.dictionary(fc.constantFrom(...NAMES), value);
    fc.assert(
      fc.property(headers, fc.integer({ min: 0, max: 4e12 }), (headers, nowMs) => {
        for (const advice of readRateLimit(headers, nowMs)) expectSense(advice);
      }),
      { numRuns: 300 },
    );
  });

  it('reads a field of a thousand members, and none that is longer than a server sends', () => {
    const members = (count: number) => Array.from({ length: count }, (_, i) => `"${i}";q=1`).join();
    expect(readRateLimit({ 'ratelimit-policy': members(600) })).toHaveLength(600);
    expect(readRateLimit({ 'ratelimit-policy': members(100_000) })).toEqual([]);
    for (const name of NAMES) expect(readRateLimit({ [name]: '1'.repeat(1_000_000) })).toEqual([]);
    for (const opener of ['(', '"', ':', ';a', '1;w=1,', 'limit=']) {
      expect(readRateLimit({ ratelimit: opener.repeat(1000), 'ratelimit-limit': opener.repeat(1000) })).toEqual([]);
    }
  });

  it('takes `__proto__` and `constructor` for names like others', () => {
    const ratelimit = '"__proto__";r=1, "constructor";r=2';
    expect(readRateLimit({ ratelimit, ['__proto__']: 'x', toString: 'y' })).toEqual([
      { policy: '__proto__', unit: 'requests', remaining: 1 },
      { policy: 'constructor', unit: 'requests', remaining: 2 },
    ]);
  });
});

function expectSense({ limit = 1, windowMs = 1, remaining = 0, resetAfterMs = 0 }: Advice): void {
  for (const number of [limit, windowMs, remaining, resetAfterMs]) expect(Number.isSafeInteger(number)).toBe(true);
  expect(Math.min(limit, windowMs)).toBeGreaterThanOrEqual(1);
  expect(Math.min(remaining, resetAfterMs)).toBeGreaterThanOrEqual(0);
}
