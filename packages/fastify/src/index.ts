import './augmentation.js';

export * from '@sluice/core';
export * from '@sluice/core/application';
export type { RateLimitHook } from './hook.js';
export type { RateLimitOptions, RateLimitPluginOptions } from './options.js';
export { type RateLimitFactory, rateLimit, rateLimit as default } from './rate-limit.js';
export { type ShedLoadOptions, type ShedLoadPlugin, shedLoad } from './shed-load.js';
