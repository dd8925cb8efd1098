export type { PostgresClient, Query, QueryResult } from './postgres-client.js';
export { PostgresStore } from './postgres-store.js';
export type { CreateTableOptions, PostgresStoreOptions, ReadyOptions } from './postgres-store-options.js';
