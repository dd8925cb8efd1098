/**
 * `@sluice/client`: a `fetch` that stays below the limits of the servers it calls.
 *
 * @example
 * const api = limitedFetch({ name: 'github' });
 * const response = await api('https://api.github.com/repos/nodejs/node');
 * @module
 */

export type { BreakerOptions } from './breaker-option.js';
export type { CallOptions } from './call-options.js';
export type { ClientOptions, CommonOptions, RetryOptions } from './client-options.js';
export type { AdaptiveConcurrencyOptions, ConcurrencyOption } from './concurrency-option.js';
export type { LimitedRequestInit } from './fetch/fetch-call.js';
export type { Advice, AdviceUnit } from './headers/advice.js';
export type { HeaderSource } from './headers/fields.js';
export { readRateLimit } from './headers/read-rate-limit.js';
export { readRetryAfter } from './headers/retry-after.js';
export {
  type ChargedCall,
  type GivenLimiterOptions,
  type LearningFetch,
  type LimitedFetch,
  type LimitedFetchOptions,
  limitedFetch,
} from './limited-fetch.js';
export type { ConcurrencyState } from './limits/adaptive-concurrency.js';
