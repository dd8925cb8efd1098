import '@sluice/core/calendars';
import type { CalendarWindow } from '@sluice/core';
import { type CalendarBounds, calendarsFor } from '@sluice/core/values';

/** Returns the boundaries of a calendar window around a time, as a limiter gives them to a store. */
export function calendarBoundsAround(window: CalendarWindow, timeMs: number): CalendarBounds {
  return calendarsFor(window, 'window').boundsAround(window, timeMs);
}
