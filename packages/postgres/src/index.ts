export type { ReadyOptions } from '@sluice/core/store';
export type { PostgresClient, Query, QueryResult } from './postgres-client.js';
export { PostgresStore } from './postgres-store.js';
export type { CreateTableOptions, PostgresStoreOptions } from './postgres-store-options.js';
