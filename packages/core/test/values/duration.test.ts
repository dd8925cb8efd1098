import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { protectStore } from '@sluice/core/store';
import { ManualClock } from '@sluice/core/testing';
import fc from 'fast-check';
import {
  duration,
  durationMs,
  durationRule,
  durationText,
  LONGEST_TIMER_MS,
  timerMs,
} from '../../src/values/duration.js';
import { keptValue } from './kept-value.js';

describe('a duration', () => {
  it.each([
    [1, 1],
    [60_000, 60_000],
    ['1ms', 1],
    ['500ms', 500],
    ['30s', 30_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['36525d', 3_155_760_000_000],
    ['1.5s', 1500],
    ['0.1s', 100],
    ['1.001s', 1001],
    ['4.35s', 4350],
    ['0.5h', 1_800_000],
    ['007s', 7000],
  ])('%p is %d ms', (duration, ms) => {
    expect(durationMs(duration, 'window')).toBe(ms);
  });

  it.each([
    0,
    -0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    3_155_760_000_001,
    2 ** 53,
    '',
    '1',
    '60000',
    's',
    '0s',
    '-1s',
    '+1s',
    '1 s',
    ' 1s',
    '1s ',
    '1s\n',
    '1S',
    '1M',
    '1w',
    '1e3s',
    '.5s',
    '1.s',
    '1,5s',
    '1h30m',
    '0.0005s',
    '1.5ms',
    '36526d',
    '99999999999999999999s',
    'Infinitys',
    null,
    undefined,
    true,
    [],
    ['1s'],
    {},
    1n,
  ])('is not %p', (wrong) => {
    expect(() => durationMs(wrong, 'limits[1].window')).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'limits[1].window', ...keptValue(wrong) }),
    );
  });

  it('is refused with its rule, the value, and an example', () => {
    expect(() => durationMs('soon', 'window', 1000)).toThrow(
      'window must be a duration of at least 1000 ms, in whole milliseconds or with the unit ms, s, m, h or d as in \'15m\', at most 100 years, got "soon" (SLUICE_OPTION)',
    );
  });

  it.each([
    ['1 min', "'1m'"],
    ['1w', "'7d'"],
    ['60000', "60000, or '60000s' for seconds"],
    [' 60000 ', "60000, or '60000s' for seconds"],
    ['3155760001', '3155760001'],
    ['5 s', "'5s'"],
    ['1 minute', "'1m'"],
    ['90 minutes', "'90m'"],
    ['2 Weeks', "'14d'"],
    ['1h30m', "'90m'"],
    ['1 h 30 min', "'90m'"],
    ['1S', "'1s'"],
    ['250 msec', "'250ms'"],
  ])('is suggested for %p: %s', (wrong, meant) => {
    expect(() => durationMs(wrong, 'window')).toThrow(`at most 100 years: use ${meant}, got "${wrong}"`);
  });

  it.each([
    'soon',
    '',
    '1M',
    '1 month',
    '0 min',
    '0',
    '-1 min',
    '1 fortnight',
    '0.0005 s',
    '99999 weeks',
    `${'1m'.repeat(40)}`,
  ])('is not suggested for %p', (wrong) => {
    expect(() => durationMs(wrong, 'window')).toThrow('at most 100 years, got');
  });

  it('is suggested only if it is long enough for the option', () => {
    expect(() => durationMs('500 ms', 'lease', 1000)).toThrow('at most 100 years, got');
  });

  it('is never suggested in a form that is refused, whatever the text', () => {
    const part = fc.constantFrom('1', '60000', ' ', 'min', 'w', 'h', 'ms', '.', '-', 'M', 'x', '0');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const meant = /use (.*?)(?: for seconds)?$/.exec(durationRule(parts.join('')))?.[1];
        for (const form of meant?.split(', or ') ?? [])
          durationMs(form.startsWith("'") ? form.slice(1, -1) : Number(form), 'window');
      }),
    );
  });
});

describe('text that a program reads', () => {
  it.each(['1ms', '0.5s', '15m', '36525d'])('%p becomes a duration', (text) => {
    expect(duration(text)).toBe(text);
  });

  it('is refused with the path that the program gives', () => {
    expect(() => duration('1 min', 'WINDOW')).toThrow(
      expect.objectContaining({
        code: 'SLUICE_OPTION',
        path: 'WINDOW',
        message: expect.stringMatching(/^WINDOW must be a duration .*: use '1m', got "1 min"/),
      }),
    );
    expect(() => duration('')).toThrow('duration must be a duration');
  });
});

describe('a duration of a number of milliseconds', () => {
  it('can have its own minimum', () => {
    expect(durationMs(0, 'by', 0)).toBe(0);
    expect(durationMs('1s', 'lease', 1000)).toBe(1000);
    expect(() => durationMs('999ms', 'lease', 1000)).toThrow('lease must be a duration of at least 1000 ms');
  });

  it.each([
    [1, '1ms'],
    [999, '999ms'],
    [1000, '1s'],
    [1500, '1500ms'],
    [60_000, '1m'],
    [90_000, '90s'],
    [3_600_000, '1h'],
    [86_400_000, '1d'],
    [36 * 3_600_000, '36h'],
  ])('of %d ms is written %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_155_760_000_000 }), (ms) => {
        expect(durationMs(durationText(ms), 'window')).toBe(ms);
      }),
    );
  });
});

describe('a duration that becomes a timer', () => {
  it('is at most as long as a timer of Node can be', () => {
    expect([timerMs('24d', 'timeout'), timerMs(LONGEST_TIMER_MS, 'timeout')]).toEqual([
      2_073_600_000,
      LONGEST_TIMER_MS,
    ]);
    for (const value of ['25d', LONGEST_TIMER_MS + 1]) {
      expect(() => timerMs(value, 'timeout')).toThrow(
        expect.objectContaining({
          code: 'SLUICE_OPTION',
          path: 'timeout',
          message: expect.stringContaining('timeout must be at most 2147483647 ms (24 days)'),
        }),
      );
    }
  });

  it('is shorter where the timer takes several of it', () => {
    expect(timerMs('2d', 'timeout', 10)).toBe(172_800_000);
    expect(() => timerMs('3d', 'timeout', 10)).toThrow('timeout must be at most 214748364 ms (2 days)');
  });

  it('may be no timeout of a store', () => {
    const store = Object.create(new MemoryStore(), {
      async: { value: true },
      clock: { value: new ManualClock() },
      remote: { value: { timeoutMs: 2_592_000_000, instances: 1, protect: protectStore } },
      consume: { value: async () => {} },
      adjust: { value: async () => {} },
      accept: { value: undefined },
    });
    expect(() => createLimiter({ limit: 1, window: '1m', store })).toThrow('store.remote.timeoutMs must be at most');
  });
});
