import { warn } from './warning.js';

/** People who think in seconds write such numbers. */
const SHORT_MS = 1000;

let hasWarned = false;

/**
 * Warns, once per process, about a length of time that is a bare number below 1,000: its author may have meant seconds, and the
 * limit or the block would then do almost nothing.
 *
 * @param value - as the user wrote it
 * @param what - what lasts so long, for the message
 */
export function warnOfSeconds(value: unknown, path: string, what: 'window' | 'block'): void {
  if (typeof value !== 'number' || value >= SHORT_MS || hasWarned) return;
  hasWarned = true;
  warn(
    'SLUICE_WINDOW_SHORT',
    `${path}: ${value} is a ${what} of ${value} ms, because a bare number is in milliseconds. Write '${value}s' for seconds, or '${value}ms' if you mean it.`,
  );
}
