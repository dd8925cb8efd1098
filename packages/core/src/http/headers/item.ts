import { ALGORITHMS } from '../../algorithms/definitions.js';
import { isTighter } from '../../limiter/decision-builder.js';
import type { Verdict } from '../../values/decision.js';
import { type Limit, usesSlots } from '../../values/limit.js';

/** The data about one limit of one request that header fields state. */
export interface HeaderItem {
  /** Different from all others of the request: see `uniqueName`. */
  readonly name: string;
  readonly verdict: Verdict;
}

/** The largest Integer of a structured field: 15 digits (RFC 9651 section 3.3.1). */
const LARGEST_INTEGER = 999_999_999_999_999;

/** Limits a whole number to what a structured field can carry. */
export function fieldInteger(value: number): number {
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
export function effectiveSeconds({ verdict }: HeaderItem): number | undefined {
  const { limit, cost, retryAfterMs, resetAfterMs } = verdict;
  const available = availableUnits(verdict);
  const fits = available >= Math.max(1, cost);
  if (!fits && retryAfterMs === 'never') return undefined;
  if (!fits && !usesSlots(limit)) return wholeSeconds(retryAfterMs);
  const definition = ALGORITHMS[limit.algorithm];
  return definition?.refillSeconds ? definition.refillSeconds(limit, available) : wholeSeconds(resetAfterMs);
}

function wholeSeconds(ms: number | 'never'): number | undefined {
  return ms === 'never' ? undefined : Math.max(1, Math.ceil(ms / 1000));
}

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

/** Returns the item that fields for a single limit state. */
export function tightestOf(items: readonly HeaderItem[]): HeaderItem {
  return items.reduce(tighter);
}

const tighter = (one: HeaderItem, other: HeaderItem): HeaderItem =>
  isTighter(other.verdict, one.verdict) ? other : one;

/**
 * The RateLimit Quota Units registry of draft-ietf-httpapi-ratelimit-headers-11 section 3.1.2. Draft 8 has the same.
 */
const REGISTERED: ReadonlySet<string> = new Set(['requests', 'content-bytes', 'concurrent-requests']);

/** Returns the unit of a limit, as `qu` states it. */
export function unitOf({ limit, quotaUnit = 'requests' }: Pick<Verdict, 'limit' | 'quotaUnit'>): string {
  return ALGORITHMS[limit.algorithm]?.quotaUnit ?? quotaUnit;
}

/** Whether `RateLimit` fields know the unit of the limit. */
export function hasRegisteredUnit(verdict: Verdict): boolean {
  return REGISTERED.has(unitOf(verdict));
}

/** Whether a limit counts requests, the unit of fields without units. */
export function countsRequests(verdict: Verdict): boolean {
  return unitOf(verdict) === 'requests';
}

/** The texts about a limit that are the same for every request. */
export interface ConstantText {
  readonly name: string;
  readonly unit: string;
  /** For example `100`. */
  readonly quota: string;
  /** For example `"burst"`, a String of RFC 9651. */
  readonly label: string;
  /** For example `"burst";q=100;w=60`, a Quota Policy Item of drafts 8 to 11. */
  readonly policy: string;
  /** The window, or the time that a bucket takes to fill, rounded up. Undefined if it is less than a second. */
  readonly windowSeconds: number | undefined;
}

/**
 * By limit, because a tier may choose another limit for every request, and the texts live as long as the limit. Then by
 * name, because a chain may rename a limit. A limit usually has one name, so a list is fastest.
 */
const texts = new WeakMap<Limit, ConstantText[]>();

/** Returns the constant texts of a limit with this name and unit. They are made once. */
export function constantText({ name, verdict }: HeaderItem): ConstantText {
  const { limit } = verdict;
  const unit = unitOf(verdict);
  const known = texts.get(limit);
  if (known !== undefined) {
    for (const text of known) if (text.name === name && text.unit === unit) return text;
  }
  const made = textOf(limit, name, unit);
  if (known === undefined) texts.set(limit, [made]);
  else known.push(made);
  return made;
}

function textOf(limit: Limit, name: string, unit: string): ConstantText {
  const quota = String(fieldInteger(limit.quota));
  const label = sfString(name);
  const windowSeconds = windowSecondsOf(limit);
  const quotaUnit = unit === 'requests' ? '' : `;qu=${sfString(unit)}`;
  const window = windowSeconds === undefined ? '' : `;w=${windowSeconds}`;
  return { name, unit, quota, label, policy: `${label};q=${quota}${quotaUnit}${window}`, windowSeconds };
}

/** RFC 9651 section 4.1.6, for text that is printable ASCII. */
function sfString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function windowSecondsOf(limit: Limit): number | undefined {
  const ms = ALGORITHMS[limit.algorithm]?.headerWindowMs(limit);
  return ms !== undefined && ms >= 1000 ? Math.ceil(ms / 1000) : undefined;
}

/**
 * Writes the fields of a draft.
 *
 * @param items - at least one limit, all of them advertised
 */
export type FieldWriter = (fields: Record<string, string>, items: readonly HeaderItem[]) => void;
