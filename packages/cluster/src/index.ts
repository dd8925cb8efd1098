/**
 * `@sluice/cluster`: limits that the processes of `node:cluster` or PM2 share, without a server.
 *
 * @module
 */

export type { ReadyOptions } from '@sluice/core/store';
export { ClusterStore, clusterStore } from './cluster-store.js';
export type { ClusterStoreOptions } from './cluster-store-options.js';
