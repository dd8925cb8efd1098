const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const LOCAL = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/;

/** Reads `22/Nov/2026:19:00:44 +0000`, the time of nginx and Apache. Returns NaN for anything else. */
export function readLocalTime(text: string): number {
  const match = LOCAL.exec(text);
  if (!match) return Number.NaN;
  const [, day, month, year, hour, minute, second, sign, zoneHours, zoneMinutes] = match;
  const monthIndex = MONTHS.indexOf(month as string);
  if (monthIndex < 0) return Number.NaN;
  const asUtc = Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second));
  const zoneMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === '+' ? asUtc - zoneMs : asUtc + zoneMs;
}

/** Reads `2026-11-22T19:00:44.123Z`. Returns NaN for anything else. */
export function readIsoTime(text: string): number {
  return ISO.test(text) ? Math.floor(Date.parse(text)) : Number.NaN;
}

/** Whether a time of this form has a fraction of a second. */
export function hasFraction(isoTime: string): boolean {
  return isoTime.includes('.');
}

/**
 * Reads seconds with a fraction, such as `1763838044.123`, as whole milliseconds. Returns NaN for anything else.
 *
 * @param from - where they begin in the text
 * @param end - where they end
 */
export function readSeconds(text: string, from = 0, end = text.length): number {
  if (from === end) return Number.NaN;
  let value = 0;
  let scale = 0;
  for (let i = from; i < end; i += 1) {
    const digit = text.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9) {
      if (scale === 4) continue;
      value = value * 10 + digit;
      if (scale > 0) scale += 1;
    } else if (digit === -2 && scale === 0 && i > from) scale = 1;
    else return Number.NaN;
  }
  for (; scale < 4; scale = scale === 0 ? 2 : scale + 1) value *= 10;
  return value;
}

/** The end of the year 9999, the last that logs can write. */
const LAST_MS = 253_402_300_799_999;

/** Whether a log can have this time, in Unix milliseconds: a number that is no time must not stretch a replay. */
export function isLogTime(ms: number): boolean {
  return ms > 0 && ms <= LAST_MS;
}
