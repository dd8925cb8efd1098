import './augmentation.js';

export * from '@sluice/core';
export * from '@sluice/core/application';
export type { Refusal } from '@sluice/core/http';
export { CurrentRateLimit, type PolicyLike, RateLimit, SkipRateLimit } from './decorators.js';
export { RATE_LIMIT_STORE } from './module-definition.js';
export type { PolicyName, RateLimitModuleOptions, RateLimitOptions, RateLimitTypes, RequestOf } from './options.js';
export { RateLimitException } from './rate-limit-exception.js';
export { RateLimitGuard } from './rate-limit-guard.js';
export { RateLimitInterceptor } from './rate-limit-interceptor.js';
export { RateLimitModule } from './rate-limit-module.js';
export { RateLimitService } from './rate-limit-service.js';
export { CurrentLoad } from './shedding/current-load.js';
export { LoadSheddingModule } from './shedding/load-shedding-module.js';
export { SHEDDER } from './shedding/module-definition.js';
export type { ShedLoadOptions } from './shedding/options.js';
export { type ShedLoadMiddleware, shedLoad } from './shedding/shed-load.js';
