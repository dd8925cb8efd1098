import { optionError, type SluiceError } from './error.js';

/**
 * A length of time: a whole number of milliseconds, or text with a unit: `'500ms'`, `'30s'`, `'15m'`, `'2h'`, `'1d'`.
 *
 * Text that a program reads, from the environment or a file, becomes one by `duration(text)`.
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

const WHOLE = /^\d+$/;

/** The words that people and other libraries use for units, and the length of each in milliseconds. */
const WORDS_MS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    'w wk wks week weeks': 7 * UNITS_MS.d,
    'd day days': UNITS_MS.d,
    'h hr hrs hour hours': UNITS_MS.h,
    'm min mins minute minutes': UNITS_MS.m,
    's sec secs second seconds': UNITS_MS.s,
    'ms msec msecs millisecond milliseconds': UNITS_MS.ms,
  }).flatMap(([words, ms]) => words.split(' ').map((word) => [word, ms])),
);

/** The longest duration: 100 years. A longer one is usually a mistake in the unit. */
export const LONGEST_MS = 36_525 * UNITS_MS.d;

/**
 * Returns text from the environment or a file as a duration.
 *
 * @param path - names the text in the error, for example the variable
 * @throws SluiceError `SLUICE_OPTION`, with `path`, if it is no duration of at least 1 ms and at most 100 years
 * @example
 * const window = duration(process.env.WINDOW ?? '1m', 'WINDOW');
 */
export function duration(text: string, path = 'duration'): Duration {
  if (isDuration(text)) return text;
  throw durationError(text, path, 1);
}

/**
 * Returns a duration in milliseconds.
 *
 * @throws SluiceError `SLUICE_OPTION`, with `path`, if it is not a whole number of milliseconds from `leastMs` to 100
 * years
 */
export function durationMs(value: unknown, path: string, leastMs = 1): number {
  const ms = typeof value === 'string' ? textMs(value) : value;
  if (isLength(ms, leastMs)) return ms;
  throw durationError(value, path, leastMs);
}

/** Says what a duration is, and how to write the value that somebody probably means. */
export function durationRule(value: unknown, leastMs = 1): string {
  const rule = `must be a duration of at least ${leastMs} ms, in whole milliseconds or with the unit ms, s, m, h or d as in '15m', at most 100 years`;
  const ms = typeof value === 'string' ? meantMs(value) : undefined;
  if (!isLength(ms, leastMs)) return rule;
  if (!WHOLE.test(String(value).trim())) return `${rule}: use '${durationText(ms)}'`;
  return `${rule}: use ${ms}${isLength(1000 * ms, 1) ? `, or '${ms}s' for seconds` : ''}`;
}

function durationError(value: unknown, path: string, leastMs: number): SluiceError {
  return optionError(path, durationRule(value, leastMs), value);
}

function isDuration(text: string): text is Duration & string {
  return isLength(textMs(text), 1);
}

function isLength(ms: unknown, leastMs: number): ms is number {
  return Number.isSafeInteger(ms) && (ms as number) >= leastMs && (ms as number) <= LONGEST_MS;
}

/** The longest delay that a timer of Node accepts. A longer one would fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Returns a duration in milliseconds that becomes a timer of Node, such as a timeout. A sleep on a clock needs no such check.
 *
 * @param times - the longest timer takes so many of this duration
 * @throws SluiceError `SLUICE_OPTION`, with `path`, if it is no duration of at least 1 ms, or too long for a timer
 */
export function timerMs(value: unknown, path: string, times = 1): number {
  const ms = durationMs(value, path);
  checkTimer(ms, path, times, value);
  return ms;
}

/**
 * Checks that a timer can take this long.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkTimer(ms: number, path: string, times = 1, received: unknown = ms): void {
  const longestMs = Math.floor(LONGEST_TIMER_MS / times);
  if (ms <= longestMs) return;
  const days = Math.floor(longestMs / UNITS_MS.d);
  throw optionError(
    path,
    `must be at most ${longestMs} ms (${days} days), the longest time that a timer takes`,
    received,
  );
}

/** Returns the shortest text for a number of milliseconds: `1m` for 60,000. */
export function durationText(ms: number): string {
  const [unit, length] = Object.entries(UNITS_MS).find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / length}${unit}`;
}

function textMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  // Rounded, because 0.1 s times 1000 is not always whole in binary. A real fraction of a millisecond remains and is
  // refused.
  const ms = Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS];
  return Math.abs(ms - Math.round(ms)) < 1e-6 ? Math.round(ms) : ms;
}

/** Returns what a text probably means that is no duration, as `1 min`, `1w`, `1h30m` and `60000`. */
function meantMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (WHOLE.test(trimmed)) return Number(trimmed);
  if (trimmed.length > 64 || !/^(?:\d+(?:\.\d+)?\s*[a-z]+\s*)+$/i.test(trimmed)) return undefined;
  let sum = 0;
  for (const [, amount, word] of trimmed.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    // In some notations M is a month.
    sum += Number(amount) * (word === 'M' ? Number.NaN : (WORDS_MS.get((word as string).toLowerCase()) ?? Number.NaN));
  }
  return sum;
}
