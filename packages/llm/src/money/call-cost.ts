import type { LlmCall } from '../call/llm-call.js';
import type { Usage } from '../usage/usage.js';
import type { PriceTable } from './price-table.js';

/** Tiers that a call names to have the usual service. */
const USUAL: ReadonlySet<string> = new Set(['default', 'standard', 'standard_only']);

/** A call that is answered at once is never served as one of a batch. */
const BATCH = 'batch';

/** Returns the tiers with rates of their own that may serve a call. Without a tier the provider chooses. */
export function tiersOf(
  { model, tier = 'auto' }: Pick<LlmCall, 'model' | 'tier'>,
  prices: PriceTable,
): readonly string[] {
  if (USUAL.has(tier)) return [];
  const { tiers } = prices.priced(model);
  return tiers.filter((priced) => (tier === 'auto' ? priced !== BATCH : priced === tier));
}

/**
 * Returns what a usage costs. What its answer does not say counts as the dearest that the call allows: the tier that served it, and how
 * often tools were used.
 */
export function costOfUsage(prices: PriceTable, call: LlmCall, usage: Usage): number {
  const toolUses = usage.toolUses ?? finiteUses(call.toolUses);
  const known = { ...usage, ...(toolUses && { toolUses }) };
  const usual = prices.cost(call.model, known);
  if (usage.tier !== undefined) return usual;
  return Math.max(usual, ...tiersOf(call, prices).map((tier) => prices.cost(call.model, { ...known, tier })));
}

/** Returns how often tools may be used. Of one without a bound nobody can say more than that it was used. */
export function finiteUses(uses: LlmCall['toolUses']): Readonly<Record<string, number>> | undefined {
  if (!uses) return undefined;
  return Object.fromEntries(Object.entries(uses).map(([tool, most]) => [tool, Number.isFinite(most) ? most : 1]));
}
