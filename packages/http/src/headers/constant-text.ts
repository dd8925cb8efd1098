import { ALGORITHMS } from '@sluice/core/src/algorithms/definitions';
import type { Verdict } from '@sluice/core/src/values/decision';
import type { Limit } from '@sluice/core/src/values/limit';
import type { HeaderItem } from './item.js';

/** The largest Integer of a structured field: 15 digits (RFC 9651 section 3.3.1). */
export const LARGEST_INTEGER = 999_999_999_999_999;

/**
 * The RateLimit Quota Units registry of draft-ietf-httpapi-ratelimit-headers-11 section 3.1.2. Draft 8 has the same.
 */
const REGISTERED: ReadonlySet<string> = new Set(['requests', 'content-bytes', 'concurrent-requests']);

/** Returns the unit of a limit, as `qu` states it. */
function unitOf({ limit, quotaUnit = 'requests' }: Pick<Verdict, 'limit' | 'quotaUnit'>): string {
  return ALGORITHMS[limit.algorithm]?.quotaUnit ?? quotaUnit;
}

/** The texts about a limit that are the same for every request. */
export interface ConstantText {
  /** The name of the limit. */
  readonly name: string;
  /** The unit that its verdicts have; undefined for requests and slots. */
  readonly quotaUnit: string | undefined;
  /** The unit, as `qu` states it. */
  readonly unit: string;
  /** Whether `RateLimit` fields know the unit. */
  readonly isRegistered: boolean;
  /** Whether the limit counts requests, the unit of fields without units. */
  readonly countsRequests: boolean;
  /** For example `100`. */
  readonly quota: string;
  /** For example `"burst";r=`, which the available quota follows: a String of RFC 9651, and the name of a parameter. */
  readonly available: string;
  /** The name as JSON. */
  readonly json: string;
  /** For example `"burst";q=100;w=60`, a Quota Policy Item of drafts 8 to 11. */
  readonly policy: string;
  /** The window, or the time that a bucket takes to fill, rounded up. Undefined if it is less than a second. */
  readonly windowSeconds: number | undefined;
  /** See `AlgorithmDefinition`. */
  readonly refillMs: ((limit: Limit, units: number) => number | undefined) | undefined;
  /** Whether windows end at whole seconds of the time of day. */
  readonly endsWithSecond: boolean;
}

/**
 * By limit, because a tier may choose another limit for every request, and the texts live as long as the limit. Then by
 * name, because an earlier policy of the request may have used the name of a limit. A limit usually has one name, so a list is fastest.
 */
const texts = new WeakMap<Limit, ConstantText[]>();

/** Returns the constant texts of a limit with this name and unit. They are made once. */
export function constantText({ name, limit, quotaUnit }: HeaderItem): ConstantText {
  const known = texts.get(limit);
  if (known !== undefined) {
    for (const text of known) if (text.name === name && text.quotaUnit === quotaUnit) return text;
  }
  const made = textOf(limit, name, quotaUnit);
  if (known === undefined) texts.set(limit, [made]);
  else known.push(made);
  return made;
}

function textOf(limit: Limit, name: string, quotaUnit: string | undefined): ConstantText {
  const unit = unitOf({ limit, ...(quotaUnit !== undefined && { quotaUnit }) });
  const quota = String(Math.min(limit.quota, LARGEST_INTEGER));
  const label = sfString(name);
  const windowSeconds = windowSecondsOf(limit);
  const stated = unit === 'requests' ? '' : `;qu=${sfString(unit)}`;
  const window = windowSeconds === undefined ? '' : `;w=${windowSeconds}`;
  return {
    name,
    quotaUnit,
    unit,
    isRegistered: REGISTERED.has(unit),
    countsRequests: unit === 'requests',
    quota,
    available: `${label};r=`,
    json: JSON.stringify(name),
    policy: `${label};q=${quota}${stated}${window}`,
    windowSeconds,
    refillMs: ALGORITHMS[limit.algorithm]?.refillMs,
    endsWithSecond: limit.windowMs !== undefined && limit.windowMs % 1000 === 0 && isOfClock(limit),
  };
}

/** RFC 9651 section 4.1.6, for text that is printable ASCII. */
function sfString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Whether the windows of a limit begin and end with those of the clock, or of the calendar. */
const isOfClock = ({ align, calendar }: Limit): boolean => align === 'clock' || calendar !== undefined;

function windowSecondsOf(limit: Limit): number | undefined {
  const ms = ALGORITHMS[limit.algorithm]?.headerWindowMs(limit);
  return ms !== undefined && ms >= 1000 ? Math.ceil(ms / 1000) : undefined;
}
