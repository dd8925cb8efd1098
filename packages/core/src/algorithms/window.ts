import { type Duration, durationMs, durationText } from '../values/duration.js';
import { checkExact, type Limit, type LimitOptions } from '../values/limit.js';
import { checkWhole } from '../values/option-checks.js';
import type { AlgorithmDefinition } from './definition.js';

/** What every limit by windows of a fixed length is told. */
export interface WindowOptions extends LimitOptions {
  /**
   * Units per window: whole, at least 0 (which refuses everything), at most 2^52 - 1. A counter takes less of long windows,
   * and a log 10,000.
   */
  limit: number;
  /** The window's length: 1 ms to 100 years. */
  window: Duration;
}

/** A limit by windows, calendar ones included. */
export type WindowLimit = Limit & { readonly windowMs: number };

/** Reads `limit` and `window`, and sees that the limit can be counted exactly. */
export function quotaAndWindow(options: WindowOptions): { quota: number; windowMs: number } {
  const quota = checkWhole(options.limit, 'limit');
  const windowMs = durationMs(options.window, 'window');
  checkExact(quota, 'limit');
  return { quota, windowMs };
}

/** The part of a definition that the algorithms by windows have in common. */
export const windowDefinition = {
  numbers: () => [['windowMs', 1]] as const,
  defaultName: ({ windowMs }) => `per-${durationText(windowMs)}`,
  spanMs: ({ windowMs }) => windowMs,
  longestWaitMs: ({ windowMs }) => 3 * windowMs,
  share: (limit, quota) => ({ ...limit, quota }),
  canRefund: true,
  quotaUnit: undefined,
  headerWindowMs: ({ windowMs }) => windowMs,
  listLength: () => undefined,
} satisfies Partial<AlgorithmDefinition<never, never, WindowLimit>>;
