// Why it is so: docs/why/windows.md

import { getOrCreate } from '../values/get-or-create.js';
import type { CalendarWindow } from '../values/limit.js';
import { calendarBoundsAround, HOUR_MS } from './bounds.js';

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
