/** A plain number, with up to 15 digits before the point: larger ones are not exact. */
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/;

/** The units of Go's durations, and days, which others add. In this order they make up a duration. */
const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1, µs: 1e-3, us: 1e-3, ns: 1e-6 } as const;

/** A duration as Go writes it: `6m0s`, `23h18m29.144s`, `12ms`. */
const DURATION = new RegExp(
  `^(?=.)${Object.keys(UNITS_MS)
    .map((unit) => `(?:(\\d{1,12}(?:\\.\\d{1,9})?)${unit}${unit === 'm' ? '(?!s)' : ''})?`)
    .join('')}$`,
);

/** RFC 3339, and ISO 8601 without seconds. The zone is required: without it, the moment is not known. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/** The three forms of a date in HTTP: RFC 9110 section 5.6.7. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]{3,6})?,? (?:\d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

const DAY_MS = UNITS_MS.d;

/** A number from here on is a moment, in seconds since 1970: as a delay it would be 31 years. */
const EPOCH_SECONDS = 1e9;

/** A number from here on is a moment, in milliseconds since 1970: in seconds it would be the year 5138. */
const EPOCH_MILLISECONDS = 1e11;

/** A moment longer ago than this is a placeholder, such as the year 1, and no time of a limit. */
const LONGEST_AGO_MS = DAY_MS;

/** The longest delay: a limit for a year. A longer one is a mistake in the unit. */
export const LONGEST_DELAY_MS = 366 * DAY_MS;

/** Returns a number of at least 0, or undefined if the text is none. */
export function readNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim();
  return trimmed !== undefined && NUMBER.test(trimmed) ? Number(trimmed) : undefined;
}

/** Returns whole units, rounded down, or undefined if the text is no number of at least 0. */
export function readUnits(text: string | undefined): number | undefined {
  const number = readNumber(text);
  return number === undefined ? undefined : Math.floor(number);
}

/**
 * Returns how many milliseconds from now a text means, rounded up. It can be seconds, a duration as Go writes it, a
 * timestamp (RFC 3339), a date of HTTP, or a moment in seconds or milliseconds since 1970. A moment that has passed is
 * 0. Undefined if the text is none of these, or means more than a year.
 *
 * @param nowMs - the time by the clock of the server
 */
export function readDelayMs(text: string | undefined, nowMs: number): number | undefined {
  const trimmed = text?.trim();
  if (!trimmed || trimmed.length > 64) return undefined;
  const number = readNumber(trimmed);
  if (number !== undefined) return plausible(numberMs(number, nowMs));
  const momentMs = readMomentMs(trimmed);
  return plausible(momentMs === undefined ? durationMs(trimmed) : momentMs - nowMs);
}

/** Returns the milliseconds since 1970 of a timestamp or a date of HTTP. */
export function readMomentMs(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 64) return undefined;
  const isDate = HTTP_DATE.test(text);
  if (!isDate && !TIMESTAMP.test(text)) return undefined;
  // The form of `asctime` has no zone, and means GMT.
  const ms = Date.parse(isDate && !text.endsWith('GMT') ? `${text} GMT` : text);
  return Number.isNaN(ms) ? undefined : ms;
}

function numberMs(number: number, nowMs: number): number {
  if (number >= EPOCH_MILLISECONDS) return number - nowMs;
  return number >= EPOCH_SECONDS ? number * 1000 - nowMs : number * 1000;
}

function durationMs(text: string): number | undefined {
  const [match, ...lengths] = DURATION.exec(text) ?? [];
  if (match === undefined) return undefined;
  return Object.values(UNITS_MS).reduce((sumMs, unitMs, i) => sumMs + Number(lengths[i] ?? 0) * unitMs, 0);
}

function plausible(ms: number | undefined): number | undefined {
  if (ms === undefined || ms < -LONGEST_AGO_MS || ms > LONGEST_DELAY_MS) return undefined;
  // The arithmetic with fractions can be off by a trifle, which must not become a millisecond.
  return Math.max(0, Math.ceil(ms - 1e-6));
}
