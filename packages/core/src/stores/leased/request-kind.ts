import { isDeepStrictEqual } from 'node:util';
import { isSimpleSpend } from '../reply.js';
import type { Ask, Check } from '../store.js';

/**
 * What a request costs on every one of its limits, where it can be decided here, by units that were taken before or are
 * reported later. Undefined where the store has to be asked: peeks, costs that differ or are 0, questions with an id or a
 * time after which nothing is charged, shadows, and limits that count refusals or block.
 */
export function sharedCost(ask: Ask): number | undefined {
  const { checks } = ask;
  const cost = checks[0]?.cost ?? 0;
  if (cost === 0 || !isSimpleSpend(ask)) return undefined;
  for (let i = 0; i < checks.length; i += 1) if (!isDecidableHere(checks[i] as Check, cost)) return undefined;
  return cost;
}

function isDecidableHere({ shadow, cost, limit: { countRejected, blockMs } }: Check, shared: number): boolean {
  return cost === shared && !shadow && countRejected === undefined && blockMs === undefined;
}

/** Whether the limits of these checks have the same numbers. */
export function haveSameNumbers(checks: readonly Check[], others: readonly Check[]): boolean {
  for (let i = 0; i < checks.length; i += 1) {
    const [one, other] = [checks[i]?.limit, others[i]?.limit];
    if (one !== other && !isDeepStrictEqual(one, other)) return false;
  }
  return true;
}
