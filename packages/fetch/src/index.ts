export * from '@sluice/core';
export * from '@sluice/core/application';
export { type ClientAddressOptions, clientAddress } from './client-address.js';
export type { ContextArgument, FetchContext } from './fetch-context.js';
export { loadOf, rateLimitOf, responseOf } from './fetch-request.js';
export { byHeader, byIp, firstOf } from './key-generators.js';
export { type RateLimitGuard, type RateLimitOptions, rateLimit } from './rate-limit.js';
export { respond } from './respond.js';
export { type ShedLoadGuard, type ShedLoadOptions, shedLoad } from './shed-load.js';
