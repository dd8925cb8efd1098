// Why it is so: docs/why/windows.md

import { DateTime, IANAZone } from 'luxon';
import type { Clock } from './clock.js';
import { optionError } from './error.js';
import { getOrCreate } from './get-or-create.js';
import type { CalendarWindow } from './limit.js';

/**
 * Four consecutive boundaries of calendar intervals. They enclose three intervals. The middle interval holds the time
 * that was asked about.
 */
export type CalendarBounds = readonly [number, number, number, number];

/**
 * A UTC offset in the forms that people write. Some versions of Intl accept a few of these forms, other versions accept
 * none.
 */
const OFFSET = /^(?:UTC?|GMT)?\s*[+\-\u2212]\s*\d/i;
const WHOLE_HOURS = /^\D*([+\-\u2212])\s*(\d{1,2})(?::?00){0,2}$/;

/** These names look like offsets, but they are in the IANA database. */
const NAMED_OFFSET = /^GMT[+-]0$/i;

/**
 * Returns `value` if it is the name of a time zone. It refuses an offset like '+02' on every version of Node, whatever
 * Intl accepts there.
 *
 * @throws SluiceError `SLUICE_OPTION` if the value is not the name of an IANA time zone
 */
export function checkTimeZone(value: unknown, path: string): string {
  const isOffset = typeof value === 'string' && OFFSET.test(value) && !NAMED_OFFSET.test(value);
  if (isOffset)
    throw optionError(path, `must be an IANA time zone name, not an offset: use ${insteadOf(value)}`, value);
  if (typeof value === 'string' && IANAZone.isValidZone(value)) return value;
  throw optionError(path, "must be an IANA time zone name like 'Europe/Berlin'", value);
}

/**
 * Suggests a name instead of an offset. The IANA zones of whole hours have the sign of POSIX: `Etc/GMT-2` is ahead of
 * UTC.
 */
function insteadOf(offset: string): string {
  const region = "a region like 'Europe/Berlin', which follows its clock changes";
  const [, sign, digits] = WHOLE_HOURS.exec(offset) ?? [];
  if (digits === undefined) return region;
  const hours = Number(digits);
  if (hours === 0) return `${region}, or 'UTC'`;
  const isAhead = sign === '+';
  if (hours > (isAhead ? 14 : 12)) return region;
  const side = isAhead ? 'ahead of' : 'behind';
  return `${region}, or 'Etc/GMT${isAhead ? '-' : '+'}${hours}', which is always ${hours} h ${side} UTC (its sign is reversed)`;
}

/**
 * Returns the interval boundaries around a time.
 *
 * A day begins at midnight in the time zone. If midnight occurs twice, the day begins at the first one. If a clock
 * change skips midnight, the day begins at its first moment.
 *
 * An hour begins whenever the clock of the zone shows a full hour. A clock change of half an hour therefore makes one
 * hour longer, or shorter if the change happens at half past.
 */
export function calendarBoundsAround(window: CalendarWindow, timeMs: number): CalendarBounds {
  const startMs = startOf(window, timeMs);
  const nextMs = startAfter(window, startMs);
  return [startOf(window, startMs - 1), startMs, nextMs, startAfter(window, nextMs)];
}

const HOUR_MS = 3_600_000;

function startOf({ unit, timeZone }: CalendarWindow, timeMs: number): number {
  const time = DateTime.fromMillis(timeMs, { zone: timeZone });
  if (unit !== 'hour') return firstOf(time.startOf(unit));
  const fullHourMs = timeMs - sinceFullHourMs(time);
  // If the clock changed since then, the minutes at that time differ. The clock before the change shows the right ones.
  return fullHourMs - sinceFullHourMs(DateTime.fromMillis(fullHourMs, { zone: timeZone }));
}

function startAfter(window: CalendarWindow, startMs: number): number {
  const { unit, timeZone } = window;
  if (unit !== 'hour') {
    const next = DateTime.fromMillis(startMs, { zone: timeZone }).plus({ [unit]: 1 });
    return firstOf(next.startOf(unit));
  }
  const nextMs = startOf(window, startMs + HOUR_MS);
  return nextMs > startMs ? nextMs : startOf(window, startMs + 2 * HOUR_MS);
}

/** Returns the earlier time if the zone's clock shows this time twice because it was set back. */
function firstOf(time: DateTime): number {
  return Math.min(...time.getPossibleOffsets().map((other) => other.toMillis()));
}

function sinceFullHourMs({ minute, second, millisecond }: DateTime): number {
  return (minute * 60 + second) * 1000 + millisecond;
}

/** Returns the interval that holds a time, or undefined if the time is outside all three. */
export function intervalAt(bounds: CalendarBounds, timeMs: number): { startMs: number; endMs: number } | undefined {
  for (let i = 0; i < 3; i += 1) {
    const [startMs, endMs] = [bounds[i] as number, bounds[i + 1] as number];
    if (startMs <= timeMs && timeMs < endMs) return { startMs, endMs };
  }
  return undefined;
}

/** The length of the shortest interval without a clock change: 28 days for a month. */
const PLAIN_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 672 * HOUR_MS } as const;

/** Clock changes are searched for in these years. */
const [FIRST_MS, LAST_MS] = [Date.UTC(2000, 0), Date.UTC(2100, 0)];

const MINUTE_MS = 60_000;

/** No two clock changes of one zone in these years that cancel each other out are this close together. */
const STEP_MS = 7 * 24 * HOUR_MS;

const shortest = new Map<string, number>();
const changes = new Map<string, readonly number[]>();

/**
 * Returns the length in milliseconds of the shortest interval from 2000 to 2100. A day has 23 hours where the clocks go
 * forward by one hour, and 22 hours in Antarctica/Troll.
 *
 * The result depends on the time zone data of the runtime. Clock changes that a government decides later need newer
 * data. The first call for a time zone takes some tens of milliseconds.
 */
export function shortestMs(window: CalendarWindow): number {
  return getOrCreate(shortest, `${window.unit} ${window.timeZone}`, () => measuredMs(window));
}

function measuredMs(window: CalendarWindow): number {
  const { unit, timeZone } = window;
  const monthOf = new Intl.DateTimeFormat('en-US', { timeZone, month: 'numeric' });
  const clockOf = clock(timeZone);
  const seen = new Set<string>();
  let leastMs: number = PLAIN_MS[unit];
  for (const changeMs of getOrCreate(changes, timeZone, () => clockChanges(timeZone))) {
    const beforeMs = changeMs - MINUTE_MS;
    // Changes at the same time of the week make equal hours, days and weeks. Months other than February are at least
    // two days longer.
    const likeness = unit === 'month' ? `${changeMs}` : `${clockOf(beforeMs)} ${clockOf(changeMs)}`;
    const isLong = unit === 'month' && monthOf.format(beforeMs) !== '2' && monthOf.format(changeMs) !== '2';
    if (isLong || seen.has(likeness)) continue;
    seen.add(likeness);
    const bounds = calendarBoundsAround(window, changeMs);
    for (let i = 1; i < bounds.length; i += 1)
      leastMs = Math.min(leastMs, (bounds[i] as number) - (bounds[i - 1] as number));
  }
  return leastMs;
}

/** Returns the times at which the clock of a zone changes: for each change, the first minute with the new offset. */
function clockChanges(timeZone: string): number[] {
  const clockOf = clock(timeZone);
  const offsetAt = (timeMs: number): string => clockOf(timeMs).split('GMT')[1] as string;
  const found: number[] = [];
  let offset = offsetAt(FIRST_MS);
  for (let timeMs = FIRST_MS; timeMs < LAST_MS; timeMs += STEP_MS) {
    let [before, after] = [timeMs / MINUTE_MS, (timeMs + STEP_MS) / MINUTE_MS];
    const next = offsetAt(timeMs + STEP_MS);
    if (next === offset) continue;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle * MINUTE_MS) === offset) before = middle;
      else after = middle;
    }
    found.push(after * MINUTE_MS);
    offset = next;
  }
  return found;
}

/**
 * Returns a function that writes a time as the clock of a zone shows it, with the offset, in the format of Intl: `Sun
 * 02:59 GMT+01:00`.
 */
function clock(timeZone: string): (timeMs: number) => string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return (timeMs) => format.format(timeMs);
}

/**
 * Caches the interval boundaries of calendar windows. It computes them again only when the time has left the middle
 * interval.
 */
export class CalendarBoundsCache {
  readonly #clock: Clock;
  readonly #byName = new Map<string, CalendarBounds>();
  /** The same, because composing a name takes longer than the rest of a decision. */
  readonly #byWindow = new WeakMap<CalendarWindow, CalendarBounds>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(calendar: CalendarWindow): CalendarBounds {
    return this.at(calendar, this.#clock.now());
  }

  /** The boundaries around the time of another clock, for a store whose server may have another date. */
  at(calendar: CalendarWindow, timeMs: number): CalendarBounds {
    const known = this.#byWindow.get(calendar);
    if (known && isWithin(known, timeMs)) return known;
    const bounds = this.#named(calendar, timeMs);
    this.#byWindow.set(calendar, bounds);
    return bounds;
  }

  #named(calendar: CalendarWindow, timeMs: number): CalendarBounds {
    const name = `${calendar.unit} ${calendar.timeZone}`;
    const known = this.#byName.get(name);
    if (known && isWithin(known, timeMs)) return known;
    const bounds = calendarBoundsAround(calendar, timeMs);
    this.#byName.set(name, bounds);
    return bounds;
  }
}

/** Whether the time is in the middle interval. */
function isWithin(bounds: CalendarBounds, timeMs: number): boolean {
  return timeMs >= bounds[1] && timeMs < bounds[2];
}
