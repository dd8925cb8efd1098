/**
 * `@sluice/core/application`: what applications need beside `@sluice/core`, whatever their framework is. Every adapter exports
 * these names again, so users find them in the package of their adapter.
 *
 * @module
 */

export type { LoadState, Shedder } from '@sluice/overload/shedder';
// From the entry of authors, not from its files: so the bundles of both are one file, and this one is only a list.
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
  type RefusalReason,
} from './http.js';
