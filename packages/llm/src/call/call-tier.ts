import type { LlmCall } from './llm-call.js';

/** The names of the plans that calls were decided under. A call of a caller's own has none, and lives as long as before. */
const tiers = new WeakMap<LlmCall, string>();

/** Notes the name of the plan of a call. */
export function noteTier(call: LlmCall, tier: string | undefined): void {
  if (tier !== undefined) tiers.set(call, tier);
}

/** Returns the name of the plan that a call was decided under; undefined if it has none. */
export function tierOf(call: LlmCall): string | undefined {
  return tiers.get(call);
}
