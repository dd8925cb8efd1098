import { usesSlots } from '@sluice/core/src/values/limit';
import { type ConstantText, constantText, LARGEST_INTEGER } from './constant-text.js';
import type { HeaderItem } from './item.js';

/** What the fields of a response state of a limit. All of them are written from it, so that no two differ. */
export interface StatedLimit {
  readonly item: HeaderItem;
  readonly text: ConstantText;
  /** Units that the client can use: none on a limit that refused. */
  readonly available: number;
  /**
   * The milliseconds for which the available units have to last. Undefined if time changes nothing: the request can never
   * fit, or the bucket does not refill.
   *
   * - If the same request would not fit now: until it does.
   * - For a window: until the key is back to its full quota.
   * - For a bucket: as long as the available units take to refill, so that nobody computes a higher rate from the two
   *   numbers.
   * - For concurrency: a second. Slots are freed when requests end, which no clock can predict.
   */
  readonly effectiveMs: number | undefined;
  /** The same in whole seconds, at least 1. */
  readonly seconds: number | undefined;
}

/** Returns what fields state of a limit. */
export function statedLimit(item: HeaderItem): StatedLimit {
  const text = constantText(item);
  const available = item.allowed ? Math.min(item.remaining, LARGEST_INTEGER) : 0;
  const effectiveMs = effectiveMsOf(item, available, text);
  const seconds = effectiveMs === undefined ? undefined : Math.max(1, Math.ceil(effectiveMs / 1000));
  return { item, text, available, effectiveMs, seconds };
}

function effectiveMsOf(item: HeaderItem, available: number, { refillMs }: ConstantText): number | undefined {
  const { limit, cost, retryAfterMs, resetAfterMs } = item;
  const fits = available >= Math.max(1, cost);
  if (!fits && retryAfterMs === 'never') return undefined;
  const hasToWait = !fits && !usesSlots(limit);
  if (refillMs && !hasToWait) return refillMs(limit, available);
  const ms = hasToWait ? retryAfterMs : resetAfterMs;
  return ms === 'never' ? undefined : ms;
}

/**
 * The Unix time in whole seconds, later than now, at which the time of `effectiveMs` is over. The sum is rounded, and not
 * each of its parts, so that all requests of one window get the same time.
 *
 * @param nowMs - the time of day
 */
export function epochSecondsOf({ item, text, effectiveMs }: StatedLimit, nowMs: number): number | undefined {
  if (effectiveMs === undefined) return undefined;
  const seconds = (nowMs + effectiveMs) / 1000;
  // A window of the clock ends with a second. The sum is some milliseconds later, because the decision took a moment.
  const whole = text.endsWithSecond && !item.blocked ? Math.round(seconds) : Math.ceil(seconds);
  return Math.max(Math.floor(nowMs / 1000) + 1, whole);
}
