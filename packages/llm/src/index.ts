/**
 * `@sluice/llm`: limits for language models. Requests, tokens and money are decided in one step before a call, and
 * corrected once after it. It depends on no framework and on no provider.
 *
 * @module
 */

export type { Format, LlmCall } from './call/llm-call.js';
export type { Llm } from './llm.js';
export type { CallEnd } from './meter/call-outcome.js';
export type { Meter } from './meter/meter.js';
export type { LlmPlan } from './plan/llm-plan.js';
export type { Exchange, NodeExchange, Send } from './relay/exchange.js';
export type { Usage } from './usage/usage.js';
