/**
 * `@sluice/sqlite`: limits in a file, for all processes of one machine.
 *
 * @module
 */

export type { ReadyOptions } from '@sluice/core/store';
export type { OpenSqlite, SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-driver.js';
export { SqliteStore } from './sqlite-store.js';
export type { SqliteStoreOptions } from './sqlite-store-options.js';
