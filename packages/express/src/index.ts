import './augmentation.js';

export * from '@sluice/core';
export * from '@sluice/core/application';
export type { ExpressRateLimitStore } from './express-rate-limit-store.js';
export type { StoreOfOptions } from './hit-store.js';
export { type RateLimitHandler, type RateLimitOptions, rateLimit } from './rate-limit.js';
export { type ShedLoadHandler, type ShedLoadOptions, shedLoad } from './shed-load.js';
export { storeOf } from './store-of.js';
