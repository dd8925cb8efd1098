import type { LlmCall } from '../call/llm-call.js';
import type { Usage } from '../usage/usage.js';
import { BATCH } from './cost.js';
import type { PriceTable } from './price-table.js';

/** Tiers that a call names to have the usual service. */
const USUAL: ReadonlySet<string> = new Set(['default', 'standard', 'standard_only']);

/** Returns the tier that a call asks for; undefined if it asks for none. */
export function askedTierOf({ batch, tier }: Pick<LlmCall, 'batch' | 'tier'>): string | undefined {
  return batch ? BATCH : tier;
}

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
 * Returns what says the costs of usages, in micro-dollars. A model without a price has none: its call was sent all the same, so there is
 * nobody to refuse it.
 */
export function costsBy(prices: PriceTable | undefined): (call: LlmCall, usage: Usage) => number | undefined {
  return (call, usage) => (prices?.has(call.model) ? costOfUsage(prices, call, usage) : undefined);
}

/**
 * Returns what a usage costs. A call of a batch has the rates of batches, whatever tier its answer states. What the answer does not say counts as the dearest that the call allows: the tier that served it, and how
 * often tools were used.
 */
function costOfUsage(prices: PriceTable, call: LlmCall, usage: Usage): number {
  const toolUses = usage.toolUses ?? finiteUses(call.toolUses);
  const known = { ...usage, ...(toolUses && { toolUses }), ...(call.batch && { tier: BATCH }), ...charactersOf(call) };
  const usual = prices.cost(call.model, known);
  if (known.tier !== undefined) return usual;
  return Math.max(usual, ...tiersOf(call, prices).map((tier) => prices.cost(call.model, { ...known, tier })));
}

/** Returns the characters of a text that is spoken. Everybody can count them, so they are known before the call. */
export function charactersOf({ characters }: LlmCall): { readonly characters?: number } {
  return characters === undefined ? {} : { characters };
}

/** Returns how often tools may be used. Of one without a bound nobody can say more than that it was used. */
export function finiteUses(uses: LlmCall['toolUses']): Readonly<Record<string, number>> | undefined {
  if (!uses) return undefined;
  return Object.fromEntries(Object.entries(uses).map(([tool, most]) => [tool, Number.isFinite(most) ? most : 1]));
}
