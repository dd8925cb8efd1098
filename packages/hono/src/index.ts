import './augmentation.js';

export * from '@sluice/core';
export {
  type AddressList,
  addressList,
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
export { type ClientAddressOptions, clientAddress } from './client-address.js';
export { byHeader, byIp, firstOf } from './key-generators.js';
export { type RateLimitMiddleware, type RateLimitOptions, rateLimit } from './rate-limit.js';
export { type ShedLoadMiddleware, type ShedLoadOptions, shedLoad } from './shed-load.js';
