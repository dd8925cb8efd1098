import type { Check } from './store.js';

/** The same checks, each for one unit: what is asked to learn whether the next request would fit. */
export function unitChecks(checks: readonly Check[]): readonly Check[] {
  return checks.map((check) => ({ ...check, cost: 1 }));
}
