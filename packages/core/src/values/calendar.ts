import { DateTime, IANAZone } from 'luxon';
import type { Clock } from './clock.js';
import { optionError } from './error.js';
import { getOrCreate } from './get-or-create.js';
import type { CalendarWindow } from './limit.js';

/**
 * Four consecutive starts of a calendar's intervals: three intervals, the middle one around the time they were asked
 * for.
 */
export type Edges = readonly [number, number, number, number];

/** An offset as people write it. Some versions of Intl accept a few of these forms, others none. */
const OFFSET = /^(?:UTC?|GMT)?\s*[+\-\u2212]\s*\d/i;
const WHOLE_HOURS = /^\D*([+\-\u2212])\s*(\d{1,2})(?::?00){0,2}$/;

/** These are names of the IANA database, although they look like offsets. */
const NAMED_OFFSET = /^GMT[+-]0$/i;

/**
 * Returns the name of a time zone. An offset like '+02' is refused on every Node, whatever its Intl accepts.
 *
 * @throws SluiceError `SLUICE_OPTION` for what is no name of an IANA time zone
 */
export function checkTimeZone(value: unknown, path: string): string {
  const isOffset = typeof value === 'string' && OFFSET.test(value) && !NAMED_OFFSET.test(value);
  if (isOffset) throw optionError(path, `must be an IANA time zone name, not an offset: ${insteadOf(value)}`, value);
  if (typeof value === 'string' && IANAZone.isValidZone(value)) return value;
  throw optionError(path, "must be an IANA time zone name like 'Europe/Berlin'", value);
}

/** The zones of whole hours have the sign that POSIX gives them: `Etc/GMT-2` is ahead of UTC. */
function insteadOf(offset: string): string {
  const region = "a region like 'Europe/Berlin', which follows its clock changes";
  const [, sign, digits] = WHOLE_HOURS.exec(offset) ?? [];
  if (digits === undefined) return region;
  const hours = Number(digits);
  if (hours === 0) return `${region}, or 'UTC'`;
  const isAhead = sign === '+';
  if (hours > (isAhead ? 14 : 12)) return region;
  const side = isAhead ? 'ahead of' : 'behind';
  return `${region}, or 'Etc/GMT${isAhead ? '-' : '+'}${hours}', which is always ${hours} h ${side} UTC (mind its sign)`;
}

/**
 * The edges around a time. Days begin at the zone's midnight: at the first of two, or at the day's first moment where a
 * clock change skips midnight. Hours begin whenever the zone's clock shows a full one: a change of half an hour makes
 * one longer, or shorter where it is made at half past.
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

/** How long the shortest interval is where no clock is changed: a month of 28 days. */
const PLAIN_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 672 * HOUR_MS } as const;

/** The years whose clock changes count. */
const [FIRST_MS, LAST_MS] = [Date.UTC(2000, 0), Date.UTC(2100, 0)];

const MINUTE_MS = 60_000;

/** No two changes of one zone in these years that undo each other are as close as this. */
const STEP_MS = 7 * 24 * HOUR_MS;

const shortest = new Map<string, number>();
const changes = new Map<string, readonly number[]>();

/**
 * The shortest interval of a calendar from 2000 to 2100: a day of 23 hours where clocks go forward by one, of 22 in
 * Antarctica/Troll. It is what the runtime's time zone data say. What a government changes later comes with later data.
 *
 * The first call for a time zone takes some tens of milliseconds.
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
    // Changes at the same time of the week make the same hours, days and weeks; other months are longer by two days.
    const likeness = unit === 'month' ? `${changeMs}` : `${clockOf(beforeMs)} ${clockOf(changeMs)}`;
    const isLong = unit === 'month' && monthOf.format(beforeMs) !== '2' && monthOf.format(changeMs) !== '2';
    if (isLong || seen.has(likeness)) continue;
    seen.add(likeness);
    const edges = edgesAround(window, changeMs);
    for (let i = 1; i < edges.length; i += 1)
      leastMs = Math.min(leastMs, (edges[i] as number) - (edges[i - 1] as number));
  }
  return leastMs;
}

/** When a zone's clock is changed, to the minute: the first that shows another offset than the one before. */
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

/** Tells a time as a zone's clock shows it, with its offset: `Sun 02:59 GMT+01:00`, in the words of Intl. */
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
