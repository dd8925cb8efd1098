import { ALGORITHMS } from '../../algorithms/definitions.js';
import { isTighter } from '../../limiter/decision-builder.js';
import type { Verdict } from '../../values/decision.js';
import { type Limit, usesSlots } from '../../values/limit.js';

/** What header fields say of one limit of one request. */
export interface HeaderItem {
  /** Unlike every other of the request: `uniqueName` makes it so. */
  readonly name: string;
  readonly verdict: Verdict;
}

/** The largest Integer that a structured field can carry: 15 digits (RFC 9651 section 3.3.1). */
const LARGEST_INTEGER = 999_999_999_999_999;

/** A whole number as a structured field can carry it. */
export function fieldInteger(value: number): number {
  return Math.min(value, LARGEST_INTEGER);
}

/** Whether a client meets a limit, and may be told of it: all but the unlimited ones and those that are not enforced. */
export function isEnforced({ limit, shadow }: Verdict): boolean {
  return shadow !== true && limit.algorithm !== 'unlimited';
}

/** Units that the client may count on: none on a limit that refused. */
export function availableUnits({ allowed, remaining }: Verdict): number {
  return allowed ? fieldInteger(remaining) : 0;
}

/**
 * For how many whole seconds the client has to make do with the available units; at least 1. Undefined when time changes
 * nothing: the request can never fit, or the bucket does not refill.
 *
 * - The same request would not fit now: until it does.
 * - A window: until it is fresh.
 * - A bucket: as long as it takes to refill what is available, so that nobody reads more than its rate out of the two.
 * - Concurrency: 1. Slots come free when requests end, which no clock foretells.
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
 * The name of a limit in the header fields of a request that several policies answer: its own while no earlier item has it,
 * else `policy:name`, and `policy:name:2` and so on where that is taken too, as by a policy that runs twice.
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

/** The item to tell of where there is room for one. */
export function tightestOf(items: readonly HeaderItem[]): HeaderItem {
  return items.reduce(tighter);
}

const tighter = (one: HeaderItem, other: HeaderItem): HeaderItem =>
  isTighter(other.verdict, one.verdict) ? other : one;

/** The RateLimit Quota Units registry of draft-ietf-httpapi-ratelimit-headers-11 section 3.1.2; draft 8 has the same. */
const REGISTERED: ReadonlySet<string> = new Set(['requests', 'content-bytes', 'concurrent-requests']);

/** What a unit of a limit is, as `qu` says it. */
export function unitOf({ limit, quotaUnit = 'requests' }: Pick<Verdict, 'limit' | 'quotaUnit'>): string {
  return ALGORITHMS[limit.algorithm]?.quotaUnit ?? quotaUnit;
}

/** Whether `RateLimit` fields have a word for the limit's unit. */
export function hasRegisteredUnit(verdict: Verdict): boolean {
  return REGISTERED.has(unitOf(verdict));
}

/** Whether a limit counts requests: the unit that fields without room for a unit are about. */
export function countsRequests(verdict: Verdict): boolean {
  return unitOf(verdict) === 'requests';
}

/** What header fields say of a limit on every request alike. */
export interface ConstantText {
  readonly name: string;
  readonly unit: string;
  /** `100` */
  readonly quota: string;
  /** `"burst"`, a String of RFC 9651. */
  readonly label: string;
  /** `"burst";q=100;w=60`, a Quota Policy Item of drafts 8 to 11. */
  readonly policy: string;
  /** The window, or the time a bucket takes to fill, rounded up; undefined if there is none of at least a second. */
  readonly windowSeconds: number | undefined;
}

/**
 * By limit, since a tier may choose another limit for every request, and forgotten with it; then by name, since chains
 * rename. A limit has one name as a rule, so a list is searched fastest.
 */
const texts = new WeakMap<Limit, ConstantText[]>();

/** The constant text of a limit under a name and in a unit, made once. */
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

/** RFC 9651 section 4.1.6, for text that is printable ASCII already. */
function sfString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function windowSecondsOf(limit: Limit): number | undefined {
  const ms = ALGORITHMS[limit.algorithm]?.headerWindowMs(limit);
  return ms !== undefined && ms >= 1000 ? Math.ceil(ms / 1000) : undefined;
}

/**
 * Writes a draft's fields.
 *
 * @param items - of at least one limit, all to be advertised.
 */
export type FieldWriter = (fields: Record<string, string>, items: readonly HeaderItem[]) => void;
