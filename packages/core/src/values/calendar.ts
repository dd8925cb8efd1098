// Why it is so: docs/why/windows.md

import type { Clock } from './clock.js';
import { optionError } from './error.js';
import type { CalendarWindow } from './limit.js';

/**
 * Four consecutive boundaries of calendar intervals. They enclose three intervals. The middle interval holds the time
 * that was asked about.
 */
export type CalendarBounds = readonly [number, number, number, number];

/**
 * What `@sluice/core/calendars` brings. It is apart because it needs a library, and most programs have no calendar window.
 *
 * A process can have two copies of this package, one imported and one required, or one of another version. All of them use
 * what was registered first. So nothing here is of a class of ours, and no function throws a SluiceError. A change of
 * these functions needs another symbol.
 */
export interface Calendars {
  /** Returns the rule that a value breaks as the name of a time zone, or undefined if it is one. */
  brokenZoneRule(timeZone: unknown): string | undefined;
  /** Returns the boundaries of intervals around a time, in milliseconds. */
  boundsAround(window: CalendarWindow, timeMs: number): CalendarBounds;
  /** Returns the length of the shortest interval from 2000 to 2100, in milliseconds. */
  shortestMs(window: CalendarWindow): number;
}

/** The symbol is the same for all copies of this package in a process, so that one import is enough. */
const CALENDARS: unique symbol = Symbol.for('sluice.calendars') as never;

const PROCESS = globalThis as { [CALENDARS]?: Calendars };

/** Lets all copies of this package in this process have calendar windows. */
export function registerCalendars(calendars: Calendars): void {
  PROCESS[CALENDARS] ??= calendars;
}

/**
 * Returns what computes the intervals of a calendar window.
 *
 * @param path - the option that has the window, or the limit with the window
 * @throws SluiceError `SLUICE_OPTION` if nothing has imported `@sluice/core/calendars`
 */
export function calendarsFor({ unit }: CalendarWindow, path: string): Calendars {
  const calendars = PROCESS[CALENDARS];
  if (calendars !== undefined) return calendars;
  const rule = "needs an import of '@sluice/core/calendars' where your program begins, because it follows the calendar";
  throw optionError(path, rule, unit);
}

/** Returns the interval that holds a time, or undefined if the time is outside all three. */
export function intervalAt(bounds: CalendarBounds, timeMs: number): { startMs: number; endMs: number } | undefined {
  for (let i = 0; i < 3; i += 1) {
    const [startMs, endMs] = [bounds[i] as number, bounds[i + 1] as number];
    if (startMs <= timeMs && timeMs < endMs) return { startMs, endMs };
  }
  return undefined;
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
    const bounds = calendarsFor(calendar, 'limit').boundsAround(calendar, timeMs);
    this.#byName.set(name, bounds);
    return bounds;
  }
}

/** Whether the time is in the middle interval. */
function isWithin(bounds: CalendarBounds, timeMs: number): boolean {
  return timeMs >= bounds[1] && timeMs < bounds[2];
}
