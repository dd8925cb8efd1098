import './augmentation.js';

export * from '@sluice/core';
export {
  type AddressList,
  addressList,
  byHeader,
  byIp,
  firstOf,
  HttpRefusal,
  type HttpRefusalOptions,
  type HttpReservation,
  headerKey,
  ipKey,
  type LoadState,
  type PolicyHandle,
  type RefusalReason,
  type Shedder,
} from '@sluice/core/http';
export type { RateLimitHook } from './hook.js';
export type { RateLimitOptions, RateLimitPluginOptions } from './options.js';
export { type RateLimitFactory, rateLimit, rateLimit as default } from './rate-limit.js';
export { type ShedLoadOptions, type ShedLoadPlugin, shedLoad } from './shed-load.js';
