// Why it is so: docs/why/windows.md

import { DateTime } from 'luxon';
import type { CalendarBounds } from '../values/calendar.js';
import type { CalendarWindow } from '../values/limit.js';

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

/** The length of an hour without a clock change. */
export const HOUR_MS = 3_600_000;

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
