import './augmentation.js';

export * from '@sluice/core';
export * from '@sluice/core/application';
export { type RateLimitHandler, type RateLimitOptions, rateLimit } from './rate-limit.js';
export { type ShedLoadHandler, type ShedLoadOptions, shedLoad } from './shed-load.js';
