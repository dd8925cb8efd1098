import { DateTime, IANAZone } from 'luxon';
import type { Clock } from './clock.js';
import { optionError } from './error.js';
import type { CalendarWindow } from './limit.js';

/**
 * Four consecutive starts of a calendar's intervals: three intervals, the middle one around the time they were asked
 * for.
 */
export type Edges = readonly [number, number, number, number];

/** @throws SluiceError `SLUICE_OPTION` for what is no name of an IANA time zone */
export function checkTimeZone(value: unknown, path: string): string {
  if (typeof value === 'string' && IANAZone.isValidZone(value)) return value;
  throw optionError(path, "must be an IANA time zone name like 'Europe/Rome'", value);
}

/**
 * The edges around a time. Days begin at the zone's midnight: at the first of two, or at the day's first moment where a
 * clock change skips midnight. Hours begin whenever the zone's clock shows a full one; a change of half an hour makes
 * one longer, none shorter.
 */
export function edgesAround(window: CalendarWindow, timeMs: number): Edges {
  const startMs = startOf(window, timeMs);
  const nextMs = startAfter(window, startMs);
  return [startOf(window, startMs - 1), startMs, nextMs, startAfter(window, nextMs)];
}

const HOUR_MS = 3_600_000;

function startOf({ unit, timeZone }: CalendarWindow, timeMs: number): number {
  const time = DateTime.fromMillis(timeMs, { zone: timeZone });
  if (unit !== 'hour') return firstOf(time.startOf(unit));
  const fullHourMs = timeMs - sinceFullHourMs(time);
  // A clock change since then leaves the wrong minutes there; the clock before the change tells the right ones.
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

/** A clock that is set back shows the same time twice. */
function firstOf(time: DateTime): number {
  return Math.min(...time.getPossibleOffsets().map((other) => other.toMillis()));
}

function sinceFullHourMs({ minute, second, millisecond }: DateTime): number {
  return (minute * 60 + second) * 1000 + millisecond;
}

/** The interval of these edges that holds a time; undefined if it is outside them all. */
export function intervalAt(edges: Edges, timeMs: number): { startMs: number; endMs: number } | undefined {
  for (let i = 0; i < 3; i += 1) {
    const [startMs, endMs] = [edges[i] as number, edges[i + 1] as number];
    if (startMs <= timeMs && timeMs < endMs) return { startMs, endMs };
  }
  return undefined;
}

/** Edges of calendar windows, worked out anew only when the clock has left the interval they are around. */
export class CalendarEdges {
  readonly #clock: Clock;
  readonly #edges = new Map<string, Edges>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(calendar: CalendarWindow): Edges {
    return this.at(calendar, this.#clock.now());
  }

  /** Edges around another clock's time, for a store that lives in another day. */
  at(calendar: CalendarWindow, timeMs: number): Edges {
    const name = `${calendar.unit} ${calendar.timeZone}`;
    let edges = this.#edges.get(name);
    if (!edges || timeMs < edges[1] || timeMs >= edges[2]) {
      edges = edgesAround(calendar, timeMs);
      this.#edges.set(name, edges);
    }
    return edges;
  }
}
