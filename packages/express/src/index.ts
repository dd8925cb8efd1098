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
export type { ExpressRateLimitStore } from './express-rate-limit-store.js';
export type { StoreOfOptions } from './hit-store.js';
export { type RateLimitHandler, type RateLimitOptions, rateLimit } from './rate-limit.js';
export { type ShedLoadHandler, type ShedLoadOptions, shedLoad } from './shed-load.js';
export { storeOf } from './store-of.js';
