import type { Fields } from './fields.js';
import { readMomentMs, readNumber } from './quantities.js';

/** The fields that tell the age of a response. */
export const CLOCK_FIELDS = ['date', 'age'] as const;

/** A difference above this is no clock that runs wrong. Then the time of day of the caller is the better guess. */
const LARGEST_SKEW_MS = 86_400_000;

/** Whether a cache kept this response: it states how some other request stood. */
export function isFromCache(fields: Fields): boolean {
  return ageMs(fields) > 0;
}

/**
 * Returns the time by the clock of the server, which may differ from the caller's: `Date`, and the age of a response
 * from a cache. `Date` has whole seconds, so delays until a moment come out at most a second too long, and never too
 * short.
 */
export function serverNowMs(fields: Fields, nowMs: number): number {
  const dateMs = readMomentMs(fields.get('date')?.trim());
  if (dateMs === undefined) return nowMs;
  const serverMs = dateMs + ageMs(fields);
  return Math.abs(serverMs - nowMs) <= LARGEST_SKEW_MS ? serverMs : nowMs;
}

function ageMs(fields: Fields): number {
  return (readNumber(fields.get('age')) ?? 0) * 1000;
}
