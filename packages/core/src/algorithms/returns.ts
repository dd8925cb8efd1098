// Why it is so: docs/why/buckets.md

import type { Limit } from '../values/limit.js';
import type { Algorithm } from './definition.js';
import type { GivenBack } from './kernel.js';

/** What may come back of a charge, how much, and until when. */
interface ReturnRule {
  /**
   * Where it comes back to:
   *
   * - `'time'`: to the time of its charge, as much as is still counted there. Nothing else has taken its place, so it is
   *   exact whenever it comes.
   * - `'level'`: to a level, up to the capacity. Refill may have taken its place meanwhile. Of unspent units, only those
   *   come back that have not refilled since their charge.
   * - `'slot'`: to the slot of its id, all of it.
   * - `'nowhere'`: nothing comes back.
   */
  readonly to: 'time' | 'level' | 'slot' | 'nowhere';
  /**
   * Until when: how long after its charge a state certainly still knows of it. Later, it may be a new state of the key.
   * Undefined: as long as something of it is still counted there.
   */
  lastsMs?(limit: Limit): number | undefined;
}

/**
 * The table of what may come back. The kernels give back by it, a lease and a request of several servers rely on it, and
 * `docs/returns.md` shows it with its proof.
 */
const RETURNS: Readonly<Record<Algorithm, ReturnRule>> = {
  'sliding-window': { to: 'time' },
  'sliding-window-log': { to: 'time' },
  'sliding-window-counter': { to: 'time' },
  'fixed-window': { to: 'time' },
  // A bucket that never refills has no other end than that it is forgotten.
  'token-bucket': { to: 'level', lastsMs: ({ keepForMs }) => keepForMs },
  // Requests further back already have their departure times. A place that is given up therefore stays empty.
  'leaky-bucket': { to: 'nowhere' },
  concurrency: { to: 'slot' },
};

/** The rule of a limit that counts nothing, or whose algorithm is not known: nothing of it can be lost. */
const LOSES_NOTHING: ReturnRule = { to: 'time' };

/** Returns the rule of a limit. */
export function returnRuleOf({ algorithm }: Pick<Limit, 'algorithm'>): ReturnRule {
  return (algorithm !== 'unlimited' && RETURNS[algorithm]) || LOSES_NOTHING;
}

/** Whether a charge of this limit can come back at all. */
export function takesBack(limit: Pick<Limit, 'algorithm'>): boolean {
  return returnRuleOf(limit).to !== 'nowhere';
}

/** Whether a charge comes too late to come back, because a new state may have begun. */
export function isTooLate(limit: Limit, { atMs }: GivenBack, nowMs: number): boolean {
  if (atMs === undefined) return false;
  const lastsMs = returnRuleOf(limit).lastsMs?.(limit);
  return lastsMs !== undefined && nowMs - atMs >= lastsMs;
}
