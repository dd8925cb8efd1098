/**
 * `@sluice/llm/ai-sdk`: a middleware for the `ai` package, versions 6 and 7.
 *
 * @module
 */

export type { AiCall } from './ai-call.js';
export type { AiCallParams, AiModel } from './call-params.js';
export { type LimitMiddleware, type LimitMiddlewareOptions, limitMiddleware } from './limit-middleware.js';
