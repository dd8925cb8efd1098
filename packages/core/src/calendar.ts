import { DateTime, IANAZone } from 'luxon';
import type { Clock } from './clock.js';
import { optionError } from './error.js';
import type { CalendarWindow } from './limit.js';

/** Four consecutive starts of a calendar's intervals: three intervals, the middle one around the time they were asked for. */
export type Edges = readonly [number, number, number, number];

export function checkTimeZone(value: unknown, path: string): string {
  if (typeof value === 'string' && IANAZone.isValidZone(value)) return value;
  throw optionError(path, "must be an IANA time zone name like 'Europe/Rome'", value);
}

/** The edges around a time. Days begin at the zone's midnight, or at their first moment where a clock change skips midnight. */
export function edgesAround({ unit, timeZone }: CalendarWindow, timeMs: number): Edges {
  const start = DateTime.fromMillis(timeMs, { zone: timeZone }).startOf(unit);
  const edge = (steps: number): number =>
    start
      .plus({ [unit]: steps })
      .startOf(unit)
      .toMillis();
  return [edge(-1), edge(0), edge(1), edge(2)];
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
