import { optionError } from './error.js';

/**
 * A length of time: whole milliseconds, or text with a unit: `'500ms'`, `'30s'`, `'15m'`, `'2h'`, `'1d'`.
 *
 * Any string compiles, because configuration comes from files and environments; a wrong one throws `SLUICE_OPTION`
 * where it is given.
 */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}` | (string & {});

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** The longest duration: 100 years. Longer ones are mistakes of unit. */
const LONGEST_MS = 36_525 * UNITS_MS.d;

/** Reads a duration as whole milliseconds of at least `leastMs`; throws `SLUICE_OPTION` naming `path`. */
export function durationMs(value: unknown, path: string, leastMs = 1): number {
  const ms = typeof value === 'string' ? textMs(value) : value;
  if (typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= leastMs && ms <= LONGEST_MS) return ms;
  throw optionError(
    path,
    `must be a duration of at least ${leastMs} ms, in whole milliseconds or as '15m', at most 100 years`,
    value,
  );
}

/** The shortest text that means so many milliseconds: 60,000 is `1m`. */
export function durationText(ms: number): string {
  const [unit, length] = Object.entries(UNITS_MS).find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / length}${unit}`;
}

function textMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (!match) return undefined;
  // Rounded, since 0.1s times 1000 need not be whole in binary; a fraction of a millisecond stays one and is refused.
  const ms = Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS];
  return Math.abs(ms - Math.round(ms)) < 1e-6 ? Math.round(ms) : ms;
}
