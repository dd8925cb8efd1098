import type { Limit } from '@sluice/core';
import type { PolicyFile } from '../file/policy-file.js';

const tiers = new WeakMap<Limit, string>();
const noted = new WeakSet<PolicyFile['tiers']>();

/** Notes which tier each limit of a file belongs to. */
export function noteTiers({ tiers: all }: PolicyFile): void {
  if (noted.has(all)) return;
  noted.add(all);
  for (const [tier, limits] of all) {
    // One object stands for every limit that limits nothing.
    for (const limit of limits.values()) if (limit.algorithm !== 'unlimited') tiers.set(limit, tier);
  }
}

/**
 * Returns the tier that a limit of a verdict belongs to: `tierOf(decision.tightest.limit)`. Undefined for a limit of no tier,
 * such as a customer's own.
 */
export function tierOf(limit: Limit): string | undefined {
  return tiers.get(limit);
}
