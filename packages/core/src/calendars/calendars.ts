import { type Calendars, registerCalendars } from '../values/calendar.js';
import { calendarBoundsAround } from './bounds.js';
import { shortestMs } from './shortest-interval.js';
import { brokenZoneRule } from './time-zone.js';

const CALENDARS: Calendars = { brokenZoneRule, boundsAround: calendarBoundsAround, shortestMs };

/** Lets this process have calendar windows. The entry does it, and the suite of stores, whose vectors have such windows. */
export function enableCalendars(): void {
  registerCalendars(CALENDARS);
}
