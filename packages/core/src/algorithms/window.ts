import { type Duration, durationMs } from '../duration.js';
import { checkExact, type Limit, type LimitOptions } from '../limit.js';
import { checkWhole } from '../option-checks.js';

/** What every limit by windows of a fixed length is told. */
export interface WindowOptions extends LimitOptions {
  /** Units per window: whole, at least 0 (which refuses everything). */
  limit: number;
  /** The window's length: 1 ms to 100 years. */
  window: Duration;
}

/** A limit by windows, calendar ones included. */
export type WindowLimit = Limit & { readonly windowMs: number };

/** Reads `limit` and `window`, and sees that the two can be multiplied exactly. */
export function quotaAndWindow(options: WindowOptions): { quota: number; windowMs: number } {
  const quota = checkWhole(options.limit, 'limit');
  const windowMs = durationMs(options.window, 'window');
  checkExact(quota, windowMs, 'limit');
  return { quota, windowMs };
}
