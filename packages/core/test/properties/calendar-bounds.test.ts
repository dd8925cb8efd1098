import '@sluice/core/calendars';
import { describe, expect, it } from '@jest/globals';
import { boundOf, type CalendarWindow, fixedWindow, type Limit } from '@sluice/core';
import { runs } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import { inWorld } from './world.js';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNREAD_MS = 6 * HOUR_MS;
const UNITS = ['hour', 'day', 'week', 'month'] as const;

type Unit = CalendarWindow['unit'];

const single = (unit: Unit, timeZone: string): Limit => fixedWindow({ limit: 1, window: { unit, timeZone } });

/** Reads the clock of a zone: what it shows, as if that were the time of UTC. */
function clockOf(timeZone: string): (timeMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    minute: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  return (timeMs) => {
    const [month = 0, date, year = 0, hour, minute] = format.format(timeMs).split(/\D+/).map(Number);
    return Date.UTC(year, month - 1, date, hour, minute);
  };
}

/**
 * When the intervals of a year begin, found by what the zone's clock shows every quarter of an hour: an hour whenever it shows
 * a full one, the others when it shows a date for the first time. Where it has gone on as time has for so many hours, it is
 * not read in between.
 */
function startsOf(timeZone: string, year: number): Readonly<Record<Unit, readonly number[]>> {
  const read = clockOf(timeZone);
  const starts = { hour: [] as number[], day: [] as number[], week: [] as number[], month: [] as number[] };
  const latest = { day: Number.NaN, week: Number.NaN, month: Number.NaN };
  const endMs = Date.UTC(year + 1, 2);
  for (let fromMs = Date.UTC(year - 1, 11); fromMs < endMs; fromMs += UNREAD_MS) {
    const fromShownMs = read(fromMs);
    const isMoved = read(fromMs + UNREAD_MS) !== fromShownMs + UNREAD_MS;
    for (let timeMs = fromMs; timeMs < fromMs + UNREAD_MS; timeMs += QUARTER_MS) {
      const shownMs = isMoved ? read(timeMs) : fromShownMs + timeMs - fromMs;
      if (shownMs % HOUR_MS === 0) starts.hour.push(timeMs);
      const day = Math.floor(shownMs / DAY_MS);
      if (day === latest.day) continue;
      const date = new Date(shownMs);
      // 1970 began on a Thursday, and weeks begin on Mondays.
      const week = Math.floor((day + 3) / 7);
      const shown = { day, week, month: 12 * date.getUTCFullYear() + date.getUTCMonth() };
      for (const unit of ['day', 'week', 'month'] as const) {
        if (shown[unit] > latest[unit]) starts[unit].push(timeMs);
        if (!(shown[unit] <= latest[unit])) latest[unit] = shown[unit];
      }
    }
  }
  return starts;
}

/** The shortest time that this many intervals in a row take. */
function shortestRunMs(starts: readonly number[], count: number): number {
  return Math.min(...starts.slice(count).map((startMs, i) => startMs - (starts[i] as number)));
}

describe('the bound of a calendar window', () => {
  it('holds in every time zone that the runtime knows, and in every year from 2000 to 2099', () => {
    const timeZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(timeZone, fc.integer({ min: 2000, max: 2099 }), (timeZone, year) => {
        const starts = startsOf(timeZone, year);
        for (const unit of UNITS) {
          for (const count of [1, 2, 3]) {
            // A window that has a millisecond on either side of these intervals touches two more.
            const windowMs = shortestRunMs(starts[unit], count) + 2;
            const bound = boundOf(single(unit, timeZone), windowMs);
            if (bound < count + 2)
              throw new Error(`${count + 2} ${unit}s of ${timeZone} in ${windowMs} ms, not ${bound}`);
          }
        }
      }),
      runs(0.2),
    );
  });

  it.each<[string, number, Unit, number]>([
    ['UTC', 2026, 'day', 24],
    ['Europe/Rome', 2026, 'day', 23],
    ['Europe/Rome', 2026, 'week', 167],
    ['Europe/Rome', 2026, 'month', 672],
    ['Antarctica/Troll', 2026, 'day', 22],
    ['Antarctica/Troll', 2026, 'week', 166],
    ['Antarctica/Casey', 2009, 'day', 21],
    ['Australia/Lord_Howe', 2026, 'day', 23.5],
    ['Australia/Lord_Howe', 2026, 'hour', 1],
    ['Asia/Amman', 2022, 'month', 671],
    ['Pacific/Apia', 2011, 'week', 144],
    ['America/Caracas', 2016, 'hour', 0.5],
    ['Asia/Pyongyang', 2018, 'hour', 0.5],
    ['Asia/Colombo', 2006, 'hour', 0.5],
    ['Asia/Kathmandu', 2026, 'hour', 1],
  ])('in %s uses the shortest %s of %d: %d hours', (timeZone, year, unit, hours) => {
    expect(shortestRunMs(startsOf(timeZone, year)[unit], 1)).toBe(hours * HOUR_MS);
    expect(boundOf(single(unit, timeZone), hours * HOUR_MS)).toBe(2);
    expect(boundOf(single(unit, timeZone), hours * HOUR_MS + 1)).toBe(3);
  });

  it('is reached if clocks move by two hours: three days in 23 hours', () => {
    inWorld((world) => {
      const limit = single('day', 'Antarctica/Troll');
      const changedMs = Date.UTC(2026, 2, 29);
      for (const atMs of [changedMs - 1, changedMs, changedMs + 22 * HOUR_MS]) {
        world.clock.set(atMs);
        expect([world.consume(limit).allowed, world.consume(limit).allowed]).toEqual([true, false]);
      }
      expect(boundOf(limit, '23h')).toBe(3);
    });
  });
});
