import { type Duration, durationMs, durationText } from '../values/duration.js';
import { checkExact, type Limit, type LimitOptions } from '../values/limit.js';
import { checkWhole } from '../values/option-checks.js';
import { warnOfSeconds } from '../values/seconds-warning.js';
import type { AlgorithmDefinition } from './definition.js';

/** The options that all limits by windows of a fixed length share. */
export interface WindowOptions extends LimitOptions {
  /**
   * Units per window: a whole number from 0 (refuses everything) to 2^52 - 1. A counter accepts less for long windows,
   * and a log accepts at most 10,000.
   */
  limit: number;
  /** The length of the window: 1 ms to 100 years. */
  window: Duration;
}

/** A limit by windows, calendar windows included. */
export type WindowLimit = Limit & { readonly windowMs: number };

/** Reads `limit` and `window`, and checks that the limit can be counted exactly. */
export function quotaAndWindow(options: WindowOptions): { quota: number; windowMs: number } {
  const quota = checkWhole(options.limit, 'limit');
  const windowMs = windowLength(options.window, 'window');
  checkExact(quota, 'limit');
  return { quota, windowMs };
}

/**
 * Returns the length of a window in milliseconds. A bare number below 1,000 causes a warning, once per process.
 *
 * @throws SluiceError `SLUICE_OPTION`, with `path`
 */
export function windowLength(window: unknown, path: string): number {
  const ms = durationMs(window, path);
  warnOfSeconds(window, path, 'window');
  return ms;
}

/** The part of a definition that all algorithms by windows share. */
export const windowDefinition = {
  numbers: () => [['windowMs', 1]] as const,
  defaultName: ({ windowMs }) => `per-${durationText(windowMs)}`,
  spanMs: ({ windowMs }) => windowMs,
  longestWaitMs: ({ windowMs }) => 3 * windowMs,
  share: (limit, quota) => ({ ...limit, quota }),
  quotaUnit: undefined,
  headerWindowMs: ({ windowMs }) => windowMs,
  listLength: () => undefined,
} satisfies Partial<AlgorithmDefinition<never, never, WindowLimit>>;
