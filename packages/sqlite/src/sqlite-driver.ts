import { SluiceError } from '@sluice/core';

/** A value that a statement is given. */
export type SqliteValue = string | number;

/** The part of a prepared statement that the store uses. `node:sqlite`, libsql and better-sqlite3 have it. */
export interface SqliteStatement {
  /** Returns the first row, or undefined. */
  get(...values: SqliteValue[]): unknown;
  /** Returns how many rows it has changed. */
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
}

/** The part of an open database that the store uses. `node:sqlite`, libsql and better-sqlite3 have it. */
export interface SqliteDatabase {
  /** Runs statements that return nothing. */
  exec(sql: string): unknown;
  /** Compiles a statement, to be run many times. */
  prepare(sql: string): SqliteStatement;
  /** Closes the file. */
  close(): unknown;
}

/** Opens a database file, or makes it. */
export type OpenSqlite = (file: string) => SqliteDatabase;

/** A constructor of databases. */
type Constructor = new (file: string) => SqliteDatabase;

/**
 * Returns what opens databases: `node:sqlite` where Node has it (22.13 and later), otherwise the package libsql.
 *
 * @throws SluiceError `SLUICE_UNSUPPORTED` if there is neither
 */
export async function sqliteDriver(): Promise<OpenSqlite> {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as { readonly DatabaseSync: Constructor } | undefined;
  const Database = builtIn?.DatabaseSync ?? (await loadLibsql());
  return (file) => new Database(file);
}

async function loadLibsql(): Promise<Constructor> {
  const { default: Database } = await import('libsql').catch((cause: unknown) => {
    throw new SluiceError(
      'SLUICE_UNSUPPORTED',
      'this version of Node has no node:sqlite: run npm install libsql, use Node 22.13 or later, or set open',
      { cause },
    );
  });
  return Database;
}
