import { calendarsFor } from '../values/calendar.js';
import { optionError } from '../values/error.js';
import {
  type CalendarWindow,
  checkExact,
  checkLimitOptions,
  type Limit,
  type LimitOptions,
  largestExact,
} from '../values/limit.js';
import { at, checkOneOf, checkOptions, checkWhole } from '../values/option-checks.js';
import {
  available,
  type FixedWindowState,
  fresh,
  isAhead,
  latestStartMs,
  normalize,
  refund,
  spend,
  waitMs,
} from './arithmetic/fixed-window.js';
import type { AlgorithmDefinition } from './definition.js';
import type { Kernel } from './kernel.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions, windowDefinition } from './window.js';

/** The options of `fixedWindow` for windows of a fixed length. */
export interface FixedWindowOptions extends WindowOptions {
  /**
   * When a window begins. `'first-request'` (default): with the first request of a key. `'clock'`: at multiples of the
   * window since 1970.
   */
  align?: 'first-request' | 'clock';
}

/** The options of `fixedWindow` for windows that follow the calendar. */
export interface CalendarWindowOptions extends LimitOptions {
  /** Units per calendar interval: a whole number from 0 to 2^52 - 1. */
  limit: number;
  /** The calendar interval and its time zone. It needs the line `import '@sluice/core/calendars'` once in a program. */
  window: CalendarWindow;
}

const HOUR_MS = 3_600_000;

/** The lengths that header fields state. The worst case uses the shortest interval of the calendar instead. */
const NOMINAL_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 744 * HOUR_MS } as const;

/**
 * A fixed window: the count starts anew when the window ends. Choose it for quotas that people read ("1,000 a day"),
 * and for windows that follow the calendar. Around the end of a window, up to twice the limit can be admitted within
 * one window's time; `slidingWindow` avoids that.
 *
 * A window that follows the calendar needs the line `import '@sluice/core/calendars'` once in a program, before its first
 * limit is made.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * import '@sluice/core/calendars';
 * const daily = fixedWindow({ limit: 1000, window: { unit: 'day', timeZone: 'Europe/Rome' } });
 */
export function fixedWindow(options: FixedWindowOptions | CalendarWindowOptions): Limit {
  return typeof options?.window === 'object' && options.window !== null
    ? calendarWindow(options as CalendarWindowOptions)
    : plainWindow(options as FixedWindowOptions);
}

function plainWindow(options: FixedWindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window', 'align']);
  const align = checkOneOf(options.align ?? 'first-request', 'align', ['first-request', 'clock'] as const);
  return Object.freeze({ algorithm: 'fixed-window', ...quotaAndWindow(options), align, ...shared });
}

function calendarWindow(options: CalendarWindowOptions): Limit {
  if ('align' in options && options.align !== undefined) {
    throw optionError('align', 'does not apply to a calendar window', options.align);
  }
  const shared = checkLimitOptions(options, ['limit', 'window', 'align']);
  const quota = checkWhole(options.limit, 'limit');
  checkOptions(options.window, ['unit', 'timeZone'], 'window');
  const { unit, timeZone } = options.window;
  checkCalendar({ unit, timeZone }, 'window');
  checkExact(quota, 'limit');
  const windowMs = NOMINAL_MS[unit];
  return Object.freeze({
    algorithm: 'fixed-window',
    quota,
    windowMs,
    calendar: Object.freeze({ unit, timeZone }),
    ...shared,
  });
}

/**
 * Checks a window that follows the calendar.
 *
 * @param path - where its unit and its time zone are
 * @param owner - the option that has the window, or the limit
 * @throws SluiceError `SLUICE_OPTION`, also if nothing has imported `@sluice/core/calendars`
 */
export function checkCalendar(window: CalendarWindow, path: string, owner: string = path): void {
  const { unit, timeZone } = window;
  checkOneOf(unit, at(path, 'unit'), ['hour', 'day', 'week', 'month'] as const);
  const rule = calendarsFor(window, owner).brokenZoneRule(timeZone);
  if (rule !== undefined) throw optionError(at(path, 'timeZone'), rule, timeZone);
}

/** Counts units, and starts anew with each window. */
const fixedWindowKernel: Kernel<FixedWindowState, WindowLimit> = {
  layout: {
    length: () => 3,

    read(state, numbers, from) {
      state.startMs = numbers[from] as number;
      state.endMs = numbers[from + 1] as number;
      state.count = numbers[from + 2] as number;
    },

    write({ startMs, endMs, count }, numbers, from) {
      numbers[from] = startMs;
      numbers[from + 1] = endMs;
      numbers[from + 2] = count;
    },
  },

  fresh,
  isAhead,
  normalize,
  available,
  waitMs,
  spend,
  refund,

  decideInPlace(limit, decision) {
    const { quota, windowMs } = limit;
    const { numbers, from, cost, nowMs } = decision;
    const startMs = numbers[from] as number;
    const endMs = numbers[from + 1] as number;
    const count = numbers[from + 2] as number;
    const available = quota - count;
    const hasBegun = limit.align === 'clock' ? startMs === latestStartMs(limit, nowMs, undefined) : startMs <= nowMs;
    const isCurrent = hasBegun && nowMs < endMs && endMs === startMs + windowMs && count > 0;
    if (!isCurrent || cost > quota || cost === available) return false;
    const resetAfterMs = endMs - nowMs;
    const allowed = cost < available;
    if (allowed) numbers[from + 2] = count + cost;
    decision.allowed = allowed;
    decision.available = allowed ? available - cost : available;
    decision.resetAfterMs = resetAfterMs;
    decision.retryAfterMs = allowed && cost <= available - cost ? 0 : resetAfterMs;
    decision.delayMs = 0;
    return true;
  },
};

/** The definition of fixed windows. */
export const fixedWindowDefinition: AlgorithmDefinition<'fixed-window', FixedWindowState, WindowLimit> = {
  ...windowDefinition,
  algorithm: 'fixed-window',
  tag: 'fw',
  kernel: fixedWindowKernel,
  largestQuota: () => largestExact(),
  defaultName: (limit) => (limit.calendar ? `per-${limit.calendar.unit}` : windowDefinition.defaultName(limit)),

  bound(limit, windowMs, _largestCost, margin) {
    const leastMs = limit.calendar ? calendarsFor(limit.calendar, 'limit').shortestMs(limit.calendar) : limit.windowMs;
    return (limit.quota + margin) * (Math.ceil(windowMs / leastMs) + 1);
  },

  lease: { stricter: (limit) => limit, endsAtReset: true },
  // Windows that begin with the first request of a key do not end together.
  guarantee: { partOf: (limit, quota) => (limit.align === 'first-request' ? undefined : { ...limit, quota }) },
};
