import { isDeepStrictEqual } from 'node:util';
import { isSimpleSpend } from '../reply.js';
import type { Ask, Check } from '../store.js';

/**
 * Returns the cost of a request on all of its limits, if this process can decide it, with units that were taken before
 * or are reported later. Returns undefined if the store has to be asked: for peeks, for costs that differ or are 0, for
 * asks with an id or a deadline, for shadow checks, for margins, and for limits that count refusals or block.
 */
export function sharedCost(ask: Ask): number | undefined {
  const { checks } = ask;
  const cost = checks[0]?.cost ?? 0;
  if (cost === 0 || !isSimpleSpend(ask)) return undefined;
  for (let i = 0; i < checks.length; i += 1) if (!isDecidableHere(checks[i] as Check, cost)) return undefined;
  return cost;
}

function isDecidableHere({ shadow, margin, cost, limit }: Check, shared: number): boolean {
  const { countRejected, blockMs } = limit;
  return cost === shared && !shadow && !margin && countRejected === undefined && blockMs === undefined;
}

/** Whether the limits of these checks have the same numbers. */
export function haveSameNumbers(checks: readonly Check[], others: readonly Check[]): boolean {
  for (let i = 0; i < checks.length; i += 1) {
    const [one, other] = [checks[i]?.limit, others[i]?.limit];
    if (one !== other && !isDeepStrictEqual(one, other)) return false;
  }
  return true;
}
