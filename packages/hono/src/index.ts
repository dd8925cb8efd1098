import './augmentation.js';

export * from '@sluice/core';
export * from '@sluice/core/application';
export { type ClientAddressOptions, clientAddress } from './client-address.js';
export { byHeader, byIp, firstOf } from './key-generators.js';
export { type RateLimitMiddleware, type RateLimitOptions, rateLimit } from './rate-limit.js';
export { type ShedLoadMiddleware, type ShedLoadOptions, shedLoad } from './shed-load.js';
