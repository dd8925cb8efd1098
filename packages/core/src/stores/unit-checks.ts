import { changedCheck } from './check-parts.js';
import type { LimitCheck } from './store.js';

/** Returns the same checks with a cost of 1. A peek at them shows whether the next request would fit. */
export function unitChecks(checks: readonly LimitCheck[]): readonly LimitCheck[] {
  return checks.map((check) => changedCheck(check, () => ({ cost: 1 })));
}
