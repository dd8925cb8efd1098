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
  type PolicyHandle,
} from '@sluice/core/http';
export type { RateLimitHook } from './hook.js';
export type { RateLimitOptions, RateLimitPluginOptions } from './options.js';
export { type RateLimitFactory, rateLimit, rateLimit as default } from './rate-limit.js';
