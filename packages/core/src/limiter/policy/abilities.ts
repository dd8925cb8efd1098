import { ALGORITHMS } from '../../algorithms/definitions.js';
import { usesSlots } from '../../values/limit.js';
import type { Item } from './parse.js';

/** Whether a limit may delay what it admits. A function may choose any limit. */
export function mayDelay({ algorithm, slowDown }: Item<never>): boolean {
  if (slowDown !== undefined || algorithm === undefined) return true;
  return algorithm !== 'unlimited' && ALGORITHMS[algorithm].kernel.delayMs !== undefined;
}

/** Whether a limit may be an unlimited tier, which no store counts. A function may choose any limit. */
export function mayBeUnlimited({ algorithm }: Item<never>): boolean {
  return algorithm === undefined || algorithm === 'unlimited';
}

/** Whether a limit may be one of concurrency. A function may choose any limit. */
export function mayTakeSlots({ limit }: Item<never>): boolean {
  return typeof limit === 'function' || usesSlots(limit);
}
