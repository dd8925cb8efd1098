/**
 * `@sluice/core/distributed`: stores in front of other stores, for limits that several processes share. Choose a
 * `LeasedStore` to decide mostly in the process without ever passing the limit, a `SyncedStore` where a few units above the
 * limit do not matter, and a `ShardedStore` to spread the keys over several servers. `@sluice/core` exports them as well.
 *
 * @module
 */

export { LeasedStore, type LeasedStoreOptions } from './leased/leased-store.js';
export { ShardedStore, type ShardedStoreOptions } from './sharded/sharded-store.js';
export { SyncedStore, type SyncedStoreOptions } from './synced/synced-store.js';
