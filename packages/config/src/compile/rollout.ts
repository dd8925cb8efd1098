// Why it is so: core/docs/why/policy-files.md

import type { RolloutStep } from '../file/policy-file.js';

/**
 * Returns the share of keys for which a policy is enforced at a time: that of the last step that has begun. It is 1 without
 * steps, and 0 before the first one. It depends on the time alone, so all instances agree.
 */
export function shareAt(steps: readonly RolloutStep[], nowMs: number): number {
  let share = steps.length === 0 ? 1 : 0;
  for (const { fromMs, enforce } of steps) if (fromMs <= nowMs) share = enforce;
  return share;
}

/** Returns when the next step begins; Infinity if none is left. */
export function nextStepMs(steps: readonly RolloutStep[], nowMs: number): number {
  return Math.min(...steps.map(({ fromMs }) => fromMs).filter((fromMs) => fromMs > nowMs));
}
