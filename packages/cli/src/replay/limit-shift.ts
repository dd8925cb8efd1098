import type { Limit } from '@sluice/core';

/** Returns a limit with other numbers. The same limit has the same result each time. */
export type LimitShift = (limit: Limit) => Limit;

/**
 * Makes limits stricter or more generous by as much as times of whole seconds can be wrong. Between two requests of a log that
 * has whole seconds, there was up to a second more or less than it says. So a window that is a second longer refuses at least
 * what the real one refused, and a window that is a second shorter refuses at most that. Of a bucket, a second is as many
 * units as come back in it. Windows that begin with the clock or the calendar begin with a second, and stay as they are.
 *
 * @param byMs - positive for stricter limits
 */
export function limitShift(byMs: number): LimitShift {
  const shifted = new WeakMap<Limit, Limit>();
  return (limit) => {
    const known = shifted.get(limit);
    if (known) return known;
    const made = Object.freeze({ ...limit, ...numbersOf(limit, byMs), ...blocksOf(limit, byMs) });
    shifted.set(limit, made);
    return made;
  };
}

function numbersOf(
  { algorithm, quota: units, windowMs, align, calendar, ...bucket }: Limit,
  byMs: number,
): Partial<Limit> {
  if (windowMs !== undefined) {
    if (align === 'clock' || calendar) return {};
    // Its windows begin with the clock, and it counts a part of the window before that shrinks in proportion to time.
    if (algorithm === 'sliding-window-counter') return { quota: Math.max(1, units - away((units * byMs) / windowMs)) };
    return { windowMs: Math.max(1, windowMs + byMs) };
  }
  const { capacity, refillUnits = 0, refillPeriodMs = 1, byInterval, immediate } = bucket;
  if (capacity === undefined) return {};
  const periods = byMs / refillPeriodMs;
  const left = capacity - (byInterval ? away(periods) : periods) * refillUnits;
  const quota = Math.max(1, away(left - capacity) + capacity);
  return {
    quota,
    capacity: quota,
    ...(immediate !== undefined && { immediate: Math.min(immediate, quota) }),
    ...(left < 1 && !byInterval && laterBy((1 - left) * (refillPeriodMs / refillUnits), refillUnits, refillPeriodMs)),
  };
}

/** A bucket has at least one unit. What it would have to be smaller still, its units come back later. */
function laterBy(ms: number, units: number, periodMs: number): Partial<Limit> {
  return { refillUnits: 1, refillPeriodMs: Math.ceil(periodMs / units + ms) };
}

/** Rounds away from 0. */
function away(value: number): number {
  return Math.sign(value) * Math.ceil(Math.abs(value));
}

function blocksOf({ blockMs, blocksMs }: Limit, byMs: number): Partial<Limit> {
  const shift = (ms: number): number => Math.max(1, ms + byMs);
  return {
    ...(blockMs !== undefined && { blockMs: shift(blockMs) }),
    ...(blocksMs && { blocksMs: blocksMs.map(shift) }),
  };
}
