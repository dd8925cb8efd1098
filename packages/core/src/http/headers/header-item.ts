import type { Verdict } from '../../values/decision.js';

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
  if (limit.algorithm === 'concurrency') return 1;
  if (!fits) return wholeSeconds(retryAfterMs);
  const { capacity, n, m } = limit;
  if (capacity === undefined || n === undefined || m === undefined) return wholeSeconds(resetAfterMs);
  return n === 0 ? undefined : Math.max(1, Math.ceil((available * m) / (n * 1000)));
}

function wholeSeconds(ms: number | 'never'): number | undefined {
  return ms === 'never' ? undefined : Math.max(1, Math.ceil(ms / 1000));
}
