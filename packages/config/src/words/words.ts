/** Numbers, lengths of time and dates as sentences say them. The words are the same in every place and every time zone. */

const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

/** Returns a number with its thousands apart: `1,200`. */
export function numberWords(value: number): string {
  return NUMBERS.format(value);
}

/** Returns a share in percent: `5 %` for 0.05. */
export function shareWords(share: number): string {
  return `${numberWords(share * 100)} %`;
}

/** Returns a number of things: `1 request`, `60 requests`. */
export function countWords(count: number, thing: string): string {
  return `${numberWords(count)} ${thing}${count === 1 ? '' : 's'}`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
] as const;

/** Returns a length of time in the largest unit that makes it whole: `90 seconds`, `1 day`. */
export function durationWords(ms: number): string {
  const [unit, length] = largestUnit(ms);
  return countWords(ms / length, unit);
}

/** Returns a length of time as the unit of a rate: `minute` in "60 a minute", `5 minutes` in "60 in 5 minutes". */
function isOneUnit(ms: number): boolean {
  return largestUnit(ms)[1] === ms;
}

function largestUnit(ms: number): (typeof UNITS)[number] {
  return UNITS.find(([, length]) => ms % length === 0) ?? ['millisecond', 1];
}

/** Returns a rate: `60 requests a minute`, `100 requests in 5 minutes`, `5 requests an hour`. */
export function rateWords(count: number, thing: string, ms: number): string {
  const [unit] = largestUnit(ms);
  const time = isOneUnit(ms) ? `${unit === 'hour' ? 'an' : 'a'} ${unit}` : `in ${durationWords(ms)}`;
  return `${countWords(count, thing)} ${time}`;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Returns a moment: `1 December 2026, 09:00 UTC`. Seconds are said if there are some. */
export function dateWords(ms: number): string {
  const date = new Date(ms);
  const [hours = '', minutes = '', seconds = ''] = date.toISOString().slice(11, 19).split(':');
  const time = seconds === '00' ? `${hours}:${minutes}` : `${hours}:${minutes}:${seconds}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${time} UTC`;
}

/** Returns a list: `a`, `a and b`, `a, b and c`. */
export function listWords(items: readonly string[], last = 'and'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** Returns a window of this length, wherever it begins: `any minute`, `any 24 hours`. */
export function anyWindowWords(ms: number): string {
  const [unit, length] = largestUnit(ms);
  if (unit === 'day') return ms === length ? 'any 24 hours' : `any ${durationWords(ms)}`;
  return ms === length ? `any ${unit}` : `any ${durationWords(ms)}`;
}
