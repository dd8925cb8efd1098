import { ALGORITHMS, type Algorithm } from '../../src/algorithms/definitions.js';
import type { Interval } from '../../src/algorithms/kernel.js';
import { type Account, Standing } from '../../src/algorithms/limit-state.js';
import type { Limit } from '../../src/index.js';

/** How a key stands; without an account, one that was never seen. */
export function standingOf(limit: Limit, account: Account | undefined, nowMs: number, interval?: Interval): Standing {
  const standing = new Standing();
  standing.read(ALGORITHMS[limit.algorithm as Algorithm], limit, account, nowMs, interval);
  return standing;
}
