import { type BlockNumbers, blockNumbers, type GrowingBlock } from './block-growth.js';
import type { Duration } from './duration.js';
import { optionError } from './error.js';
import { checkName, checkOneOf, checkOptions } from './option-checks.js';

/**
 * A window that follows the calendar of a time zone: `{ unit: 'day', timeZone: 'Europe/Rome' }`. It needs the line
 * `import '@sluice/core/calendars'` once in a program.
 */
export interface CalendarWindow {
  /** The interval. A week begins on Monday. */
  readonly unit: 'hour' | 'day' | 'week' | 'month';
  /** The name of an IANA time zone. An offset like '+02' is refused. */
  readonly timeZone: string;
}

/**
 * An algorithm and its numbers, as `slidingWindow()`, `tokenBucket()` and the other constructors return it: plain,
 * frozen data that JSON can carry. The fields after `windowMs` are for kernels and for authors of stores.
 */
export interface Limit {
  /** How the limit counts: it names the constructor that made it. */
  readonly algorithm:
    | 'sliding-window'
    | 'sliding-window-log'
    | 'sliding-window-counter'
    | 'fixed-window'
    | 'token-bucket'
    | 'leaky-bucket'
    | 'concurrency'
    | 'unlimited';
  /** The name given to the constructor, if there was one. */
  readonly name?: string;
  /** Units per window, units in a full bucket, or slots. */
  readonly quota: number;
  /** For window algorithms. For a calendar window it is the nominal length (31 days for a month). */
  readonly windowMs?: number;
  /** For buckets: the same number as `quota`. */
  readonly capacity?: number;
  /** Of leaky buckets: places that leave without a delay; absent: none. */
  readonly immediate?: number;
  /** For buckets: this many units come back in each `refillPeriodMs`. */
  readonly refillUnits?: number;
  /** For buckets: the milliseconds in which `refillUnits` come back. */
  readonly refillPeriodMs?: number;
  /** For token buckets: all `refillUnits` come back together, at the end of each `refillPeriodMs`. */
  readonly byInterval?: true;
  /** For sliding windows: the number of sub-windows in a window. */
  readonly buckets?: number;
  /** For sliding windows: counted by sub-windows even if the quota is at most `buckets`, as parts of a larger limit are. */
  readonly coarse?: true;
  /** For fixed windows without a calendar: when a window begins. */
  readonly align?: 'first-request' | 'clock';
  /** For fixed windows that follow a calendar. */
  readonly calendar?: CalendarWindow;
  /** For concurrency limits: how long a slot is held if it is not renewed. */
  readonly leaseMs?: number;
  /** Whether refused requests also spend. Absent: they do not. */
  readonly countRejected?: true | 'always';
  /**
   * How long the key stays refused after this limit refused it: the first time, if blocks grow. Absent: only until the
   * request fits again.
   */
  readonly blockMs?: number;
  /** If blocks grow: the length of the first block, of the second, and so on. The last one stays. */
  readonly blocksMs?: readonly number[];
  /** With `blocksMs`: how long after the end of a block the next one is a first one again. */
  readonly forgetMs?: number;
  /** For buckets that never refill: how long a key is kept after its last use. */
  readonly keepForMs?: number;
}

/** The options that most limits share, besides their numbers. */
export interface LimitOptions {
  /**
   * 1 to 128 printable ASCII characters. Default: the name of the policy, or a name made of the algorithm and the
   * window.
   */
  name?: string;
  /**
   * Whether refused requests also spend. Default: false.
   *
   * With `true`, they spend only within one window after the key's last admission (for a bucket: the time it takes to
   * fill). A lock-out therefore ends after two windows, or after three for a bucket or a counter.
   *
   * With `'always'`, a lock-out lasts as long as requests keep coming. A key that has used up its limit is not admitted
   * again while it asks for more than the limit in every window (for a bucket: faster than it refills). A fixed window
   * is the exception: its count starts anew at the end of the window, so it keeps no key out.
   */
  countRejected?: boolean | 'always';
  /**
   * How long the key stays refused after this limit refuses a request, whatever the window says. Default: no block.
   *
   * An object makes each block longer than the one before: `{ first: '1m', max: '1h' }` blocks for 1, 2, 4 and so on up
   * to 60 minutes. A key that was not blocked for `forget` (default: as long as `max`) begins with the first one again.
   */
  blockDuration?: Duration | GrowingBlock;
}

/** The options that every limit constructor accepts. */
const LIMIT_OPTIONS = ['name', 'countRejected', 'blockDuration'] as const;

/** Checks the options that all limits share. Refuses options that are not in `own` or `shared`. */
export function checkLimitOptions(
  options: LimitOptions,
  own: readonly string[],
  shared: readonly string[] = LIMIT_OPTIONS,
): Pick<Limit, 'name' | 'countRejected' | keyof BlockNumbers> {
  checkOptions(options, [...own, ...shared]);
  const { name, countRejected, blockDuration } = options;
  if (countRejected !== undefined) checkOneOf(countRejected, 'countRejected', [true, false, 'always']);
  return {
    ...(name !== undefined && { name: checkName(name, 'name') }),
    ...(countRejected && { countRejected }),
    ...(blockDuration !== undefined && blockNumbers(blockDuration, 'blockDuration')),
  };
}

/**
 * Checks the shared options of algorithms that queue or hold slots: only a name. Refusals cost nothing there, so
 * options about refusals are errors.
 */
export function checkPlainOptions(
  options: LimitOptions,
  own: readonly string[],
  algorithm: string,
): Pick<Limit, 'name'> {
  for (const option of ['countRejected', 'blockDuration'] as const) {
    const value = options?.[option];
    if (value !== undefined) throw optionError(option, `does not apply to ${algorithm}`, value);
  }
  return checkLimitOptions(options, own, ['name']);
}

/**
 * Returns the largest quota that an algorithm counts exactly if it multiplies the quota by `ms` (or by nothing). Debt
 * goes down to one quota below zero, so twice the product must stay below 2^53.
 */
export function largestExact(ms = 1): number {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / (2 * ms));
  return 2 * most * ms > Number.MAX_SAFE_INTEGER ? most - 1 : most;
}

/** Refuses a quota that this algorithm cannot count exactly. The message states the largest one. */
export function checkExact(quota: number, path: string, ms?: number): void {
  const most = largestExact(ms);
  if (quota <= most) return;
  const over = ms === undefined ? '' : ` over ${ms} ms`;
  throw optionError(path, `must be at most ${most}, to be counted exactly${over}`, quota);
}

/** Whether a value looks like a limit that a constructor made, also after a round trip through JSON. */
export function isLimit(value: unknown): value is Limit {
  return (
    typeof value === 'object' && value !== null && typeof (value as Limit).algorithm === 'string' && 'quota' in value
  );
}

/**
 * Whether a request holds a slot of this limit, from admission to release, instead of spending units. An id names the
 * slot. Only slots have a lease.
 */
export function usesSlots({ leaseMs }: Limit): boolean {
  return leaseMs !== undefined;
}

/**
 * Returns a limit that allows everything. The store is not asked, and no header is sent. Use it for a tier without a
 * limit.
 *
 * @example const planOf = (req) => (req.isStaff ? unlimited() : slidingWindow({ limit: 100, window: '1m' }));
 */
export function unlimited(): Limit {
  return UNLIMITED;
}

const UNLIMITED: Limit = Object.freeze({ algorithm: 'unlimited', quota: Number.MAX_SAFE_INTEGER });
