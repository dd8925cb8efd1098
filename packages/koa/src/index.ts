import './augmentation.js';

export * from '@sluice/core';
export * from '@sluice/core/application';
export { firstOf } from './first-of.js';
export { type RateLimitMiddleware, type RateLimitOptions, rateLimit } from './rate-limit.js';
export { type ShedLoadMiddleware, type ShedLoadOptions, shedLoad } from './shed-load.js';
