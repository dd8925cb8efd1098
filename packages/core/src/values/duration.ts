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
