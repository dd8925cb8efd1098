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

import type { HttpReservation, LoadState } from '@sluice/core/http';

declare global {
  namespace Express {
    interface Request {
      /** The decision of the last policy that counted the request; absent if none did. */
      rateLimit?: HttpReservation;
      /** How busy this process is; absent without `shedLoad`. */
      load?: LoadState;
    }
  }
}
