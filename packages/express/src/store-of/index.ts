/**
 * `@sluice/express/store-of`: stores for express-rate-limit, as stores of Sluice.
 *
 * @module
 */

export type { ExpressRateLimitStore } from './express-rate-limit-store.js';
export type { StoreOfOptions } from './hit-store.js';
export { storeOf } from './store-of.js';
