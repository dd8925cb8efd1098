import { type Duration, durationMs } from './duration.js';
import { optionError } from './error.js';
import { checkName, checkOneOf, checkOptions } from './option-checks.js';

/** A window that follows the calendar of a time zone: `{ unit: 'day', timeZone: 'Europe/Rome' }`. */
export interface CalendarWindow {
  /** Weeks begin on Monday. */
  readonly unit: 'hour' | 'day' | 'week' | 'month';
  /** An IANA time zone name; an offset like '+02' is none. */
  readonly timeZone: string;
}

/**
 * How much per how long, by which algorithm: plain, frozen, JSON-safe data, made by `slidingWindow()`, `tokenBucket()`
 * and their like. The fields after `windowMs` are for kernels and authors of stores.
 */
export interface Limit {
  readonly algorithm:
    | 'sliding-window'
    | 'sliding-window-log'
    | 'sliding-window-counter'
    | 'fixed-window'
    | 'token-bucket'
    | 'leaky-bucket'
    | 'concurrency'
    | 'unlimited';
  /** As given to the constructor; absent when it was not. */
  readonly name?: string;
  /** Units in a window, in a full bucket, or held at once. */
  readonly quota: number;
  /** Of window algorithms; a calendar window's nominal length (a month: 31 days). */
  readonly windowMs?: number;
  /** Of buckets; equal to `quota`. */
  readonly capacity?: number;
  /** Of buckets: so many units come back in each `refillPeriodMs`. */
  readonly refillUnits?: number;
  /** Of buckets: the milliseconds in which `refillUnits` come back. */
  readonly refillPeriodMs?: number;
  /** Of token buckets: the `refillUnits` come all at once at the end of each `refillPeriodMs`. */
  readonly byInterval?: true;
  /** Of sliding windows: how many sub-windows a window has. */
  readonly buckets?: number;
  /** Of fixed windows without a calendar: when a window begins. */
  readonly align?: 'first-request' | 'clock';
  /** Of fixed windows that follow a calendar. */
  readonly calendar?: CalendarWindow;
  /** Of concurrency limits: how long a slot is held without being renewed. */
  readonly leaseMs?: number;
  /** Whether refused requests spend, too; absent: no. */
  readonly countRejected?: true | 'always';
  /** How long the key is refused after this limit refused it; absent: no longer than it has to be. */
  readonly blockMs?: number;
  /** Of buckets that never refill: how long after its last use a key is remembered. */
  readonly keepForMs?: number;
}

/** What every limit may be told besides its numbers. */
export interface LimitOptions {
  /** 1 to 128 printable ASCII characters; default: the policy's name, or one made of the algorithm and window. */
  name?: string;
  /**
   * Default false. With true, refused requests spend too, within one window (of a bucket: the time it takes to fill) of
   * the key's last admission, so that a lock-out ends after two windows, or three of a bucket or counter. With
   * `'always'` it does not end while requests come: a key that used up its limit, and then asks in every window for more
   * than the limit (of a bucket: faster than it refills), is not admitted again. In a fixed window alone it keeps nobody
   * out, since the count starts anew at the window's end.
   */
  countRejected?: boolean | 'always';
  /** Default none. After this limit refuses a request, the key is refused for this long, whatever the window says. */
  blockDuration?: Duration;
}

/** The options that every limit constructor knows. */
const LIMIT_OPTIONS = ['name', 'countRejected', 'blockDuration'] as const;

/** Reads the options that all limits share; refuses those that this algorithm has not. */
export function checkLimitOptions(
  options: LimitOptions,
  own: readonly string[],
  shared: readonly string[] = LIMIT_OPTIONS,
): Pick<Limit, 'name' | 'countRejected' | 'blockMs'> {
  checkOptions(options, [...own, ...shared]);
  const { name, countRejected, blockDuration } = options;
  if (countRejected !== undefined) checkOneOf(countRejected, 'countRejected', [true, false, 'always']);
  return {
    ...(name !== undefined && { name: checkName(name, 'name') }),
    ...(countRejected && { countRejected }),
    ...(blockDuration !== undefined && { blockMs: durationMs(blockDuration, 'blockDuration') }),
  };
}

/** Reads what is shared by algorithms that queue or hold: a name. What a refusal may cost means nothing to them. */
export function checkPlainOptions(
  options: LimitOptions,
  own: readonly string[],
  algorithm: string,
): Pick<Limit, 'name'> {
  for (const option of ['countRejected', 'blockDuration'] as const) {
    const value = options?.[option];
    if (value !== undefined) throw optionError(option, `has no meaning for ${algorithm}`, value);
  }
  return checkLimitOptions(options, own, ['name']);
}

/**
 * The largest quota that an algorithm counts exactly which multiplies it by so many milliseconds, or by nothing: twice the
 * product must stay below 2^53, because debt is kept down to one quota below nothing.
 */
export function largestExact(ms = 1): number {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / (2 * ms));
  return 2 * most * ms > Number.MAX_SAFE_INTEGER ? most - 1 : most;
}

/** Refuses a quota that this algorithm could not count exactly, and says how much it can. */
export function checkExact(quota: number, path: string, ms?: number): void {
  const most = largestExact(ms);
  if (quota <= most) return;
  const over = ms === undefined ? '' : ` over ${ms} ms`;
  throw optionError(path, `is too large to be counted exactly${over}: it is at most ${most}`, quota);
}

/** True for what a limit constructor made, also after a trip through JSON. */
export function isLimit(value: unknown): value is Limit {
  return (
    typeof value === 'object' && value !== null && typeof (value as Limit).algorithm === 'string' && 'quota' in value
  );
}

/**
 * Whether a request holds a slot of this limit, named by an id, from admission to release, instead of spending units: only
 * slots have a lease.
 */
export function usesSlots({ leaseMs }: Limit): boolean {
  return leaseMs !== undefined;
}

/**
 * A limit that is none: always allowed, the store is not asked, no header is sent. Say it where a tier has no limit.
 *
 * @example const planOf = (req) => (req.isStaff ? unlimited() : slidingWindow({ limit: 100, window: '1m' }));
 */
export function unlimited(): Limit {
  return UNLIMITED;
}

const UNLIMITED: Limit = Object.freeze({ algorithm: 'unlimited', quota: Number.MAX_SAFE_INTEGER });
