/**
 * `@sluice/cloudflare`: limits of a Worker, counted in Durable Objects.
 *
 * @module
 */

export { DurableObjectStore } from './durable-object-store.js';
export type { DurableObjectStoreOptions } from './durable-object-store-options.js';
export type { LimitsNamespace, LimitsStub } from './limits-namespace.js';
export { LimitsObject } from './limits-object.js';
export type { ObjectState, ObjectStorage, SqlValue } from './object-storage.js';
