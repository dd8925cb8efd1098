/**
 * `@sluice/llm`: limits for language models. Requests, tokens and money are decided in one step before a call, and
 * corrected once after it. It depends on no framework and on no provider.
 *
 * @module
 */

export type { BilledWork } from './call/billed-work.js';
export type { BodyRule, BodyRules } from './call/body-rules.js';
export { LlmCallError } from './call/call-error.js';
export type { BatchedCalls, LlmCall } from './call/llm-call.js';

export { type ReadCallOptions, readCall } from './call/read-call.js';
export type { TokenCounter } from './call/tokens/counter.js';

export { createLlm } from './create-llm.js';
export type { InvalidUsage } from './dialects/counts.js';
export type { BatchFormat, CallFormat, Format } from './dialects/format.js';
export type { ProviderName, ProviderProfile } from './dialects/providers.js';
export type { VendorName } from './dialects/vendor.js';
export type { DegradedEvent, SettledEvent, WithheldErrorEvent } from './events.js';
export { type ReservedModel, reserveFirst } from './fallback/reserve-first.js';

export type { Llm } from './llm.js';
export type { LlmOptions, PlanScope } from './llm-options.js';
export type { CallEnd } from './meter/call-outcome.js';
export type { Meter } from './meter/meter.js';
export type { MostUsed, PricedTokens } from './money/cost.js';
export type { Price, Rates } from './money/price.js';
export { type PriceTable, type PriceTableOptions, priceTable } from './money/price-table.js';
export { type Dollars, usd } from './money/usd.js';
export type { Amounts, CallRange } from './plan/bound.js';
export type { Hold, HoldKind } from './plan/hold.js';
export type { LlmPlan } from './plan/llm-plan.js';
export type { FetchAnswer } from './relay/collect.js';
export type { Exchange, NodeExchange, Send, SendForm } from './relay/exchange.js';
export type { AdmittedCall, HeldTokens } from './request/decided-call.js';
export type { UnknownUsage } from './settle/settlement.js';
export type { TokenWeights } from './settle/token-weights.js';
export { type BudgetReached, type BudgetWatchOptions, watchBudgets } from './spend/budget-watch.js';
export type { UsageContext, UsageHandler, UsageOptions, UsageReply } from './spend/page/usage-handler.js';
export type { BudgetSpend, LimitUse, ScopeQuery, Spend, SpendQuery } from './spend/spend.js';
export { readUsage } from './usage/read-usage.js';
export type { Usage } from './usage/usage.js';
export { createUsageReader, type UsageReader } from './usage/usage-reader.js';
