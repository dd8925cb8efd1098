import { optionError } from './error.js';

/**
 * A length of time: a whole number of milliseconds, or text with a unit: `'500ms'`, `'30s'`, `'15m'`, `'2h'`, `'1d'`.
 *
 * The type accepts every string, because configuration comes from files and environments. A wrong string throws
 * `SLUICE_OPTION` where you pass it.
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}` | (string & {});

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** The longest duration: 100 years. A longer one is usually a mistake in the unit. */
export const LONGEST_MS = 36_525 * UNITS_MS.d;

/**
 * Returns a duration in milliseconds.
 *
 * @throws SluiceError `SLUICE_OPTION`, with `path`, if it is not a whole number of milliseconds from `leastMs` to 100
 * years
 */
export function durationMs(value: unknown, path: string, leastMs = 1): number {
  const ms = typeof value === 'string' ? textMs(value) : value;
  if (typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= leastMs && ms <= LONGEST_MS) return ms;
  throw optionError(
    path,
    `must be a duration of at least ${leastMs} ms, in whole milliseconds or as '15m', at most 100 years`,
    value,
  );
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
