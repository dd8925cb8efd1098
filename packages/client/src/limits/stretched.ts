import type { Limit } from '@sluice/core';

/**
 * Returns a limit whose window, or time to refill, is longer by so many hundredths. Windows that follow a clock or a
 * calendar, and slots, stay as they are. So does a bucket that could not be counted exactly then.
 */
export function stretched(limit: Limit, steps: number): Limit {
  const { windowMs, refillUnits, refillPeriodMs, calendar, align, byInterval, quota } = limit;
  if (steps === 0 || calendar || align === 'clock') return limit;
  const longer = (ms: number): number => Math.ceil(ms * (1 + steps / 100));
  if (windowMs !== undefined) return Object.freeze({ ...limit, windowMs: longer(windowMs) });
  if (!refillUnits || refillPeriodMs === undefined) return limit;
  if (byInterval) return Object.freeze({ ...limit, refillPeriodMs: longer(refillPeriodMs) });
  const slower = { ...limit, refillUnits: refillUnits * 100, refillPeriodMs: refillPeriodMs * (100 + steps) };
  return 2 * quota * slower.refillPeriodMs < Number.MAX_SAFE_INTEGER ? Object.freeze(slower) : limit;
}

/** The time that one request takes from its share of a limit; 0 if the limit has no rate. */
export function spacingMs({ quota, windowMs, refillUnits = 0, refillPeriodMs = 0 }: Limit): number {
  if (windowMs !== undefined) return quota > 0 ? windowMs / quota : 0;
  return refillUnits > 0 ? refillPeriodMs / refillUnits : 0;
}
