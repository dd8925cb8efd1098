/**
 * `@sluice/core/distributed`: stores in front of other stores, for limits that several processes share.
 *
 * - Choose a `LeasedStore` to decide mostly in the process, and never admit more than the limit.
 * - Choose a `SyncedStore` if a few units above the limit do not matter.
 * - Choose a `ShardedStore` to spread the keys over several servers.
 *
 * @module
 */

export { LeasedStore, type LeasedStoreOptions } from '@sluice/distributed/leased/leased-store';
export { ShardedStore, type ShardedStoreOptions } from '@sluice/distributed/sharded/sharded-store';
export { SyncedStore, type SyncedStoreOptions } from '@sluice/distributed/synced/synced-store';
