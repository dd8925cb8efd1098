import { isSimpleSpend } from '@sluice/core/src/stores/reply';
import type { LimitCheck, StoreRequest } from '@sluice/core/src/stores/store';

/**
 * Returns the cost of a request on all of its limits, if this process can decide it, with units that were taken before
 * or are reported later. Returns undefined if the store has to be asked: for peeks, for costs that differ or are 0, for
 * requests with an id or a deadline, for shadow checks, for margins, for guaranteed parts, and for limits that count refusals or block.
 */
export function sharedCost(request: StoreRequest): number | undefined {
  const { checks } = request;
  const cost = checks[0]?.cost ?? 0;
  if (cost === 0 || !isSimpleSpend(request)) return undefined;
  for (let i = 0; i < checks.length; i += 1) if (!isDecidableHere(checks[i] as LimitCheck, cost)) return undefined;
  return cost;
}

function isDecidableHere({ shadow, margin, parts, cost, limit }: LimitCheck, shared: number): boolean {
  const { countRejected, blockMs } = limit;
  const isPlain = !shadow && !margin && parts === undefined;
  return cost === shared && isPlain && countRejected === undefined && blockMs === undefined;
}

/** Whether the limits of these checks have the same numbers. */
export function haveSameNumbers(checks: readonly LimitCheck[], others: readonly LimitCheck[]): boolean {
  for (let i = 0; i < checks.length; i += 1) {
    const [one, other] = [checks[i]?.limit, others[i]?.limit];
    if (!isSame(one, other)) return false;
  }
  return true;
}

/** Whether two values of limits are the same: numbers, texts, lists and records of them. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [entries, others] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))];
  return (
    entries.length === others.size &&
    entries.every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
  );
}
