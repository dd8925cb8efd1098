import { ALGORITHMS } from '../../algorithms/definitions.js';
import { takesBack } from '../../algorithms/returns.js';
import { isTighter } from '../../limiter/decision-builder.js';
import type { Verdict } from '../../values/decision.js';
import { type Limit, usesSlots } from '../../values/limit.js';
import type { SetField } from '../node/response.js';

/** A verdict as header fields state it: its name is different from all others of the request. See `namedApart`. */
export type HeaderItem = Verdict;

/** The largest Integer of a structured field: 15 digits (RFC 9651 section 3.3.1). */
const LARGEST_INTEGER = 999_999_999_999_999;

/** Limits a whole number to what a structured field can carry. */
function fieldInteger(value: number): number {
  return Math.min(value, LARGEST_INTEGER);
}

/** Whether a limit is advertised to clients: it is enforced, or marks requests, and it is not unlimited. */
export function isAdvertised({ limit, shadow, marked }: Verdict): boolean {
  return (shadow !== true || marked === true) && limit.algorithm !== 'unlimited';
}

/** Units that the client can use: none on a limit that refused. */
export function availableUnits({ allowed, remaining }: Verdict): number {
  return allowed ? fieldInteger(remaining) : 0;
}

/** Returns the item of a charge as it is after the charge has been given back. A leaky bucket gives nothing back. */
export function givenBack(item: HeaderItem): HeaderItem {
  const { allowed, limit, cost, resetAfterMs } = item;
  if (!allowed || !takesBack(limit)) return item;
  const used = Math.max(0, item.used - cost);
  const remaining = Math.min(item.remaining + cost, Math.max(item.remaining, limit.quota - used));
  return { ...item, used, remaining, resetAfterMs: used === 0 ? 0 : resetAfterMs };
}

/**
 * The whole seconds, at least 1, for which the available units have to last. Undefined if time changes nothing: the
 * request can never fit, or the bucket does not refill.
 *
 * - If the same request would not fit now: until it does.
 * - For a window: until the key is back to its full quota.
 * - For a bucket: as long as the available units take to refill, so that nobody computes a higher rate from the two
 *   numbers.
 * - For concurrency: 1. Slots are freed when requests end, which no clock can predict.
 */
export function effectiveSeconds(
  item: HeaderItem,
  available: number = availableUnits(item),
  text: ConstantText = constantText(item),
): number | undefined {
  const ms = effectiveMs(item, available, text);
  return ms === undefined ? undefined : Math.max(1, Math.ceil(ms / 1000));
}

/**
 * The Unix time in whole seconds, later than now, at which the time of `effectiveSeconds` is over. The sum is rounded, and
 * not each of its parts, so that all requests of one window get the same time.
 *
 * @param nowMs - the time of day
 */
export function effectiveEpochSeconds(
  item: HeaderItem,
  available: number,
  text: ConstantText,
  nowMs: number,
): number | undefined {
  const ms = effectiveMs(item, available, text);
  if (ms === undefined) return undefined;
  const seconds = (nowMs + ms) / 1000;
  // A window of the clock ends with a second. The sum is some milliseconds later, because the decision took a moment.
  const whole = text.endsWithSecond && !item.blocked ? Math.round(seconds) : Math.ceil(seconds);
  return Math.max(Math.floor(nowMs / 1000) + 1, whole);
}

function effectiveMs(item: HeaderItem, available: number, { refillMs }: ConstantText): number | undefined {
  const { limit, cost, retryAfterMs, resetAfterMs } = item;
  const fits = available >= Math.max(1, cost);
  if (!fits && retryAfterMs === 'never') return undefined;
  if (!fits && !usesSlots(limit)) return finite(retryAfterMs);
  return refillMs ? refillMs(limit, available) : finite(resetAfterMs);
}

const finite = (ms: number | 'never'): number | undefined => (ms === 'never' ? undefined : ms);

/**
 * Returns the name of a limit in the header fields of a request with several policies: its own name if no earlier item
 * has it; otherwise `policy:name`, then `policy:name:2` and so on, for example for a policy that runs twice.
 */
export function uniqueName(name: string, policy: string, earlier: readonly { readonly name: string }[]): string {
  if (!isTaken(name, earlier)) return name;
  const qualified = `${policy}:${name}`;
  let candidate = qualified;
  for (let count = 2; isTaken(candidate, earlier); count += 1) candidate = `${qualified}:${count}`;
  return candidate;
}

function isTaken(name: string, earlier: readonly { readonly name: string }[]): boolean {
  for (const item of earlier) if (item.name === name) return true;
  return false;
}

/** Returns verdicts under names that differ from each other and from those of earlier items: see `uniqueName`. */
export function namedApart(
  verdicts: readonly Verdict[],
  policy: string,
  earlier: readonly HeaderItem[],
): readonly HeaderItem[] {
  const all = [...earlier];
  for (const verdict of verdicts) {
    const name = uniqueName(verdict.name, policy, all);
    all.push(name === verdict.name ? verdict : { ...verdict, name });
  }
  return all.slice(earlier.length);
}

/** Returns the item that fields for a single limit state. */
export function tightestOf(items: readonly HeaderItem[]): HeaderItem {
  return items.length === 1 ? (items[0] as HeaderItem) : items.reduce(tighter);
}

const tighter = (one: HeaderItem, other: HeaderItem): HeaderItem => (isTighter(other, one) ? other : one);

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

/** The last limit and its texts: the fields of a response ask for the same several times. */
let latestLimit: Limit | undefined;
let latestText: ConstantText | undefined;

/** Returns the constant texts of a limit with this name and unit. They are made once. */
export function constantText({ name, limit, quotaUnit }: HeaderItem): ConstantText {
  if (latestText && latestLimit === limit && isOf(latestText, name, quotaUnit)) return latestText;
  latestLimit = limit;
  latestText = textFor(limit, name, quotaUnit);
  return latestText;
}

function isOf(text: ConstantText, name: string, quotaUnit: string | undefined): boolean {
  return text.name === name && text.quotaUnit === quotaUnit;
}

function textFor(limit: Limit, name: string, quotaUnit: string | undefined): ConstantText {
  const known = texts.get(limit);
  if (known !== undefined) {
    for (const text of known) if (isOf(text, name, quotaUnit)) return text;
  }
  const made = textOf(limit, name, quotaUnit);
  if (known === undefined) texts.set(limit, [made]);
  else known.push(made);
  return made;
}

function textOf(limit: Limit, name: string, quotaUnit: string | undefined): ConstantText {
  const unit = unitOf({ limit, ...(quotaUnit !== undefined && { quotaUnit }) });
  const quota = String(fieldInteger(limit.quota));
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

/**
 * Writes header fields to a target, by the method of it that sets one.
 *
 * @param items - at least one limit, all of them advertised
 */
export type FieldWriter = <T extends object>(target: T, set: SetField<T>, items: readonly HeaderItem[]) => void;

/** Makes a writer. `named` returns the name of each of its fields as the target wants it. */
export type FieldWriterOf = (named: (name: string) => string) => FieldWriter;
