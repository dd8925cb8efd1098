import { describe, expect, it } from '@jest/globals';
import type { CalendarWindow } from '@sluice/core';
import { runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { calendarBoundsAround } from '../../src/calendars/bounds.js';
import { intervalAt } from '../../src/values/calendar.js';

const HOUR_MS = 3_600_000;

const UNITS = ['hour', 'day', 'week', 'month'] as const;
const ZONES = [
  'UTC',
  'Europe/Rome',
  'America/New_York',
  'America/Sao_Paulo',
  'America/Havana',
  'Atlantic/Azores',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

const boundsText = (window: CalendarWindow, time: string): string[] =>
  calendarBoundsAround(window, Date.parse(time)).map((edge) => `${new Date(edge).toISOString().slice(0, 16)}Z`);

describe('bounds', () => {
  it.each<[CalendarWindow['unit'], string, string, string, string]>([
    [
      'day',
      'Europe/Rome',
      '2026-03-29T12:00Z',
      'a day of 23 hours',
      '2026-03-27T23:00Z 2026-03-28T23:00Z 2026-03-29T22:00Z 2026-03-30T22:00Z',
    ],
    [
      'day',
      'Europe/Rome',
      '2026-10-25T12:00Z',
      'a day of 25 hours',
      '2026-10-23T22:00Z 2026-10-24T22:00Z 2026-10-25T23:00Z 2026-10-26T23:00Z',
    ],
    [
      'day',
      'America/Sao_Paulo',
      '2018-11-04T12:00Z',
      'a day without a midnight',
      '2018-11-03T03:00Z 2018-11-04T03:00Z 2018-11-05T02:00Z 2018-11-06T02:00Z',
    ],
    [
      'day',
      'Asia/Kathmandu',
      '2026-01-01T00:00Z',
      'an offset of 5:45',
      '2025-12-30T18:15Z 2025-12-31T18:15Z 2026-01-01T18:15Z 2026-01-02T18:15Z',
    ],
    [
      'day',
      'Atlantic/Azores',
      '2026-10-25T00:30Z',
      'before the second of two midnights',
      '2026-10-24T00:00Z 2026-10-25T00:00Z 2026-10-26T01:00Z 2026-10-27T01:00Z',
    ],
    [
      'day',
      'Atlantic/Azores',
      '2026-10-25T01:30Z',
      'after the second of two midnights',
      '2026-10-24T00:00Z 2026-10-25T00:00Z 2026-10-26T01:00Z 2026-10-27T01:00Z',
    ],
    [
      'day',
      'America/Havana',
      '2026-11-01T05:30Z',
      'after the second of two midnights',
      '2026-10-31T04:00Z 2026-11-01T04:00Z 2026-11-02T05:00Z 2026-11-03T05:00Z',
    ],
    [
      'day',
      'Pacific/Apia',
      '2011-12-30T12:00Z',
      'the day after a day that never was',
      '2011-12-29T10:00Z 2011-12-30T10:00Z 2011-12-31T10:00Z 2012-01-01T10:00Z',
    ],
    [
      'hour',
      'Europe/Rome',
      '2026-10-25T00:30Z',
      'the first 2 o’clock',
      '2026-10-24T23:00Z 2026-10-25T00:00Z 2026-10-25T01:00Z 2026-10-25T02:00Z',
    ],
    [
      'hour',
      'Europe/Rome',
      '2026-10-25T01:30Z',
      'the second 2 o’clock',
      '2026-10-25T00:00Z 2026-10-25T01:00Z 2026-10-25T02:00Z 2026-10-25T03:00Z',
    ],
    [
      'hour',
      'Asia/Kathmandu',
      '2026-01-01T00:00Z',
      'an offset of 5:45',
      '2025-12-31T22:15Z 2025-12-31T23:15Z 2026-01-01T00:15Z 2026-01-01T01:15Z',
    ],
    [
      'hour',
      'Australia/Lord_Howe',
      '2026-04-04T14:59Z',
      'before half an hour is repeated',
      '2026-04-04T13:00Z 2026-04-04T14:00Z 2026-04-04T15:30Z 2026-04-04T16:30Z',
    ],
    [
      'hour',
      'Australia/Lord_Howe',
      '2026-04-04T15:15Z',
      'while half an hour is repeated',
      '2026-04-04T13:00Z 2026-04-04T14:00Z 2026-04-04T15:30Z 2026-04-04T16:30Z',
    ],
    [
      'hour',
      'Australia/Lord_Howe',
      '2026-10-03T15:29Z',
      'before half an hour is skipped',
      '2026-10-03T13:30Z 2026-10-03T14:30Z 2026-10-03T16:00Z 2026-10-03T17:00Z',
    ],
    [
      'hour',
      'Australia/Lord_Howe',
      '2026-10-03T15:45Z',
      'after half an hour is skipped',
      '2026-10-03T13:30Z 2026-10-03T14:30Z 2026-10-03T16:00Z 2026-10-03T17:00Z',
    ],
    [
      'week',
      'UTC',
      '2026-01-04T23:59Z',
      'weeks begin on Monday',
      '2025-12-22T00:00Z 2025-12-29T00:00Z 2026-01-05T00:00Z 2026-01-12T00:00Z',
    ],
    [
      'week',
      'Europe/Rome',
      '2026-03-28T12:00Z',
      'a week of 167 hours',
      '2026-03-15T23:00Z 2026-03-22T23:00Z 2026-03-29T22:00Z 2026-04-05T22:00Z',
    ],
    [
      'month',
      'UTC',
      '2026-01-31T12:00Z',
      'the 31st has no like in February',
      '2025-12-01T00:00Z 2026-01-01T00:00Z 2026-02-01T00:00Z 2026-03-01T00:00Z',
    ],
    [
      'month',
      'UTC',
      '2028-02-29T12:00Z',
      'a leap year',
      '2028-01-01T00:00Z 2028-02-01T00:00Z 2028-03-01T00:00Z 2028-04-01T00:00Z',
    ],
    [
      'month',
      'Europe/Rome',
      '2026-03-31T21:59Z',
      'a clock change within',
      '2026-01-31T23:00Z 2026-02-28T23:00Z 2026-03-31T22:00Z 2026-04-30T22:00Z',
    ],
  ])('of each %s in %s around %s: %s', (unit, timeZone, time, _why, bounds) => {
    expect(boundsText({ unit, timeZone }, time)).toEqual(bounds.split(' '));
  });

  it('are four in a row, the middle two around the time, and the same everywhere in the interval', () => {
    const window = fc.record({ unit: fc.constantFrom(...UNITS), timeZone: fc.constantFrom(...ZONES) });
    // From 2012 on, because Samoa left out a day in 2011.
    const time = fc.integer({ min: Date.UTC(2012, 0, 2), max: Date.UTC(2036, 0, 1) });
    fc.assert(
      fc.property(window, time, fc.nat(1000), (calendar, timeMs, share) => {
        const bounds = calendarBoundsAround(calendar, timeMs);
        const [before, start, end, after] = bounds;
        expect(before < start && start <= timeMs && timeMs < end && end < after).toBe(true);
        expect(intervalAt(bounds, timeMs)).toEqual({ startMs: start, endMs: end });
        expect(calendarBoundsAround(calendar, start + Math.floor(((end - 1 - start) * share) / 1000))).toEqual(bounds);
        expect(calendarBoundsAround(calendar, end).slice(0, 3)).toEqual(bounds.slice(1));
        expect(calendarBoundsAround(calendar, start - 1).slice(1)).toEqual(bounds.slice(0, 3));
      }),
      runs(5),
    );
  });

  it.each([
    ['Europe/Rome', '2026-03-28T12:00Z'],
    ['Europe/Rome', '2026-10-24T12:00Z'],
    ['America/Havana', '2026-03-07T12:00Z'],
    ['America/Havana', '2026-10-31T12:00Z'],
    ['Atlantic/Azores', '2026-10-24T12:00Z'],
    ['Asia/Beirut', '2026-03-28T12:00Z'],
    ['Asia/Beirut', '2026-10-24T06:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T06:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T06:00Z'],
  ])('follow each other without gap or overlap in %s from %s, through a clock change', (timeZone, from) => {
    for (const unit of ['hour', 'day'] as const) {
      const fromMs = Date.parse(from);
      let [, , endMs] = calendarBoundsAround({ unit, timeZone }, fromMs);
      for (let timeMs = fromMs; timeMs < fromMs + 36 * HOUR_MS; timeMs += HOUR_MS / 4) {
        const [, startMs, nextMs] = calendarBoundsAround({ unit, timeZone }, timeMs);
        expect(timeMs < endMs ? nextMs : startMs).toBe(endMs);
        endMs = nextMs;
      }
    }
  });
});

it.each([
  ['Etc/GMT-2', '2026-01-01T22:00Z'],
  ['Etc/GMT+11', '2026-01-02T11:00Z'],
])('begins a day of %s at %s, as the suggestion says', (timeZone, start) => {
  const [, startMs] = calendarBoundsAround({ unit: 'day', timeZone }, Date.parse('2026-01-02T12:00Z'));
  expect(startMs).toBe(Date.parse(start));
});
