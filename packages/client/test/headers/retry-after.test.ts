import { describe, expect, it } from '@jest/globals';
import { readRateLimit, readRetryAfter } from '@sluice/client';
import { NOW_MS } from './header-vectors.js';

/** Texts that servers write for a time, and the milliseconds from 2026-01-01T00:00:00Z that they mean. */
const TIMES: readonly [text: string, ms: number | undefined][] = [
  ['0', 0],
  ['30', 30_000],
  ['2.0', 2000],
  ['0.7', 700],
  [' 5 ', 5000],
  ['2592000', 2_592_000_000],
  ['12ms', 12],
  ['1s', 1000],
  ['6m0s', 360_000],
  ['1m30.951s', 90_951],
  ['23h18m29.144s', 83_909_144],
  ['1h0m0s', 3_600_000],
  ['2d', 172_800_000],
  ['350µs', 1],
  ['1767225660', 60_000],
  ['1767225600.5', 500],
  ['1767225660000', 60_000],
  ['2026-01-01T00:01:00Z', 60_000],
  ['2026-01-01t09:01:00.123456789+09:00', 60_123],
  ['2026-01-01T00:01Z', 60_000],
  ['2025-12-31T23:59:00Z', 0],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Thursday, 01-Jan-26 00:00:30 GMT', 30_000],
  ['Thu Jan  1 00:00:30 2026', 30_000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
  ['', undefined],
  ['-1', undefined],
  ['1e9', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  ['soon', undefined],
  ['s', undefined],
  ['5 minutes', undefined],
  ['99999999999999999999', undefined],
  ['999999999', undefined],
  ['2026-13-45T00:00:00Z', undefined],
  ['Thu, 99 Foo 2026 00:00:30 GMT', undefined],
  ['0001-01-01T00:00:00Z', undefined],
];

describe('readRetryAfter', () => {
  it.each(TIMES)('reads `Retry-After: %s` as %p ms', (text, ms) => {
    expect(readRetryAfter(new Headers({ 'retry-after': text }), NOW_MS)).toBe(ms);
  });

  it('reads resets in the same way', () => {
    const resets = TIMES.map(([text]) => readRateLimit({ 'x-ratelimit-reset': text }, NOW_MS)[0]?.resetAfterMs);
    expect(resets).toEqual(TIMES.map(([, ms]) => ms));
  });

  it.each([
    ['prefers `retry-after-ms`', { 'retry-after-ms': '120', 'retry-after': '1' }, 120],
    ['rounds fractions of a millisecond up', { 'retry-after-ms': '0.2' }, 1],
    ['reads the spelling of Azure', { 'x-ms-retry-after-ms': '250', 'retry-after': '1' }, 250],
    ['takes the next field if one makes no sense', { 'retry-after-ms': '-1', 'retry-after': '2' }, 2000],
    ['takes the longer of two that a proxy joined', { 'retry-after': '5, 30' }, 30_000],
    [
      'takes the longer of a number and a date that a proxy joined',
      { 'retry-after': '5, Thu, 01 Jan 2026 00:00:30 GMT' },
      30_000,
    ],
    [
      'takes the longer of two dates that a proxy joined',
      { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT, Thursday, 01-Jan-26 00:00:40 GMT' },
      40_000,
    ],
    ['takes what makes sense of two that a proxy joined', { 'retry-after': 'soon, 3' }, 3000],
    ['believes none of two that make no sense', { 'retry-after': 'soon, later' }, undefined],
    ['finds nothing where nothing is stated', {}, undefined],
  ])('%s', (_, headers, ms) => {
    expect(readRetryAfter(headers, NOW_MS)).toBe(ms);
  });

  it('compares a date with the clock of the server, also if a cache has kept the answer', () => {
    const date = 'Thu, 01 Jan 2026 00:05:00 GMT';
    const headers = { date, 'retry-after': 'Thu, 01 Jan 2026 00:06:00 GMT' };
    expect(readRetryAfter(headers, NOW_MS)).toBe(60_000);
    expect(readRetryAfter({ ...headers, age: '20' }, NOW_MS)).toBe(40_000);
  });

  it('compares moments with the time of the system by default', () => {
    const ms = readRetryAfter({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() });
    expect(ms).toBeGreaterThan(3_500_000);
    expect(ms).toBeLessThanOrEqual(3_600_000);
  });
});
