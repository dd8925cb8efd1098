import { type Duration, durationMs } from '../../values/duration.js';
import { optionError } from '../../values/error.js';
import type { Limit } from '../../values/limit.js';
import { at, checkOptions, checkWhole } from '../../values/option-checks.js';

/** How a limit delays the requests that it admits. */
export interface SlowDownOptions {
  /** Units that are used without a delay: a whole number of at least 0, below the limit. */
  after: number;
  /** The delay for each unit used beyond `after`; at least 1 ms. */
  by: Duration;
  /** The longest delay; at least 1 ms. */
  upTo: Duration;
  /**
   * HTTP only: how many requests of the policy this process delays at the same time, a whole number of at least 1. One
   * more is refused with 503, and `Retry-After` states its delay. Default: the policy's `waiting`, which is 100. If they
   * differ, the smallest applies.
   */
  waiting?: number;
}

/** The checked options of a limit that slows down. */
export interface SlowDown {
  readonly after: number;
  readonly byMs: number;
  readonly upToMs: number;
  /** Undefined: the policy's own number. */
  readonly waiting: number | undefined;
}

/** Checks the option of an item; undefined if it has none. */
export function slowDownOf(
  slowDown: SlowDownOptions | undefined,
  limit: Limit | ((...args: never) => unknown),
  path: string,
): SlowDown | undefined {
  if (slowDown === undefined) return undefined;
  checkOptions(slowDown, ['after', 'by', 'upTo', 'waiting'], path);
  if (typeof limit === 'object' && (limit.algorithm === 'concurrency' || limit.algorithm === 'leaky-bucket')) {
    throw optionError(path, `has no meaning for a limit by ${limit.algorithm}`, slowDown);
  }
  const most = typeof limit === 'object' ? Math.max(0, limit.quota - 1) : Number.MAX_SAFE_INTEGER;
  return {
    after: checkWhole(slowDown.after, at(path, 'after'), 0, most),
    byMs: durationMs(slowDown.by, at(path, 'by')),
    upToMs: durationMs(slowDown.upTo, at(path, 'upTo')),
    waiting: slowDown.waiting === undefined ? undefined : checkWhole(slowDown.waiting, at(path, 'waiting'), 1),
  };
}
