import { statSync } from 'node:fs';
import { SluiceError } from '@sluice/core';
import type { OpenSqlite, SqliteDatabase, SqliteStatement } from './sqlite-driver.js';
import { isBusy } from './sqlite-error.js';

/** Which file, and how it is written. */
export interface SqliteFileOptions {
  /** An absolute path. */
  readonly file: string;
  /** A name that needs no escaping. */
  readonly table: string;
  readonly isDurable: boolean;
}

/** A row of the table. */
export interface Row {
  readonly version: string;
  readonly value: string;
  /** By the time of day of the machine, in milliseconds since 1970. A database may be set to return each number as a bigint. */
  readonly expires_at: number | bigint;
}

/**
 * An open file with its table and the statements about it. Each call ends before it returns, and none waits for a lock. Their parameters have
 * neither numbers nor names: better-sqlite3 would not take values for those in their order.
 */
export class SqliteFile {
  /** Says which file this is, whatever its path. */
  readonly identity: string;
  /** (key): a `Row`, or undefined. */
  readonly read: SqliteStatement;
  /** (key, version, value, end) */
  readonly add: SqliteStatement;
  /** (version, value, from which end on the old one stays, up to which, the end otherwise, key, the version that was read) */
  readonly change: SqliteStatement;
  /** (key, the version that was read) */
  readonly remove: SqliteStatement;
  /** (key) */
  readonly delete: SqliteStatement;
  /** (time, the most rows to delete) */
  readonly deleteExpired: SqliteStatement;

  readonly #file: string;
  readonly #database: SqliteDatabase;
  readonly #begin: SqliteStatement;
  readonly #commit: SqliteStatement;
  readonly #rollBack: SqliteStatement;

  /** @throws an error of SQLite, or SluiceError `SLUICE_STORE` */
  constructor(open: OpenSqlite, { file, table: name, isDurable }: SqliteFileOptions) {
    this.#file = file;
    this.#database = opened(open, file);
    // Some names are words of SQL.
    const table = `"${name}"`;
    try {
      this.#setUp(isDurable);
      this.#makeTable(table, `"${name}_expires_at"`);
      const prepare = (sql: string): SqliteStatement => this.#database.prepare(sql);
      this.identity = identityOf(file) ?? '';
      this.read = prepare(`SELECT version, value, expires_at FROM ${table} WHERE key = ?`);
      this.add = prepare(
        `INSERT INTO ${table} (key, version, value, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
      );
      // The index is not written if the end stays.
      this.change = prepare(
        `UPDATE ${table} SET version = ?, value = ?, expires_at = CASE WHEN expires_at BETWEEN ? AND ? THEN expires_at ELSE ? END
WHERE key = ? AND version = ?`,
      );
      this.remove = prepare(`DELETE FROM ${table} WHERE key = ? AND version = ?`);
      this.delete = prepare(`DELETE FROM ${table} WHERE key = ?`);
      this.deleteExpired = prepare(
        `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE expires_at < ? LIMIT ?)`,
      );
      this.#begin = prepare('BEGIN IMMEDIATE');
      this.#commit = prepare('COMMIT');
      this.#rollBack = prepare('ROLLBACK');
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #setUp(isDurable: boolean): void {
    this.#database.exec('PRAGMA busy_timeout = 0');
    const mode = this.#database.prepare('PRAGMA journal_mode = WAL').get() as { readonly journal_mode?: unknown };
    if (mode.journal_mode !== 'wal') {
      const rule = `${this.#file} cannot have a write-ahead log: put it on a disk of this machine`;
      throw new SluiceError('SLUICE_STORE', rule);
    }
    this.#database.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
  }

  #makeTable(table: string, index: string): void {
    this.#database.exec(`CREATE TABLE IF NOT EXISTS ${table} (
  key TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID`);
    this.#database.exec(`CREATE INDEX IF NOT EXISTS ${index} ON ${table} (expires_at)`);
  }

  /** Makes all changes of `body` in one transaction, or none if it returns false or throws. */
  transact(body: () => boolean): boolean {
    this.#begin.run();
    try {
      const isMade = body();
      (isMade ? this.#commit : this.#rollBack).run();
      return isMade;
    } catch (error) {
      try {
        this.#rollBack.run();
      } catch {
        // After some errors SQLite itself has rolled back.
      }
      throw error;
    }
  }

  /** Whether there is another file now under the path, or none. */
  isReplaced(): boolean {
    return identityOf(this.#file) !== this.identity;
  }

  close(): void {
    this.#database.close();
  }
}

/** Not every package says which error of SQLite it was. */
function opened(open: OpenSqlite, file: string): SqliteDatabase {
  try {
    return open(file);
  } catch (cause) {
    const rule = 'create its folder, and give this process the right to write there';
    throw isBusy(cause) ? cause : new SluiceError('SLUICE_STORE', `${file} cannot be opened: ${rule}`, { cause });
  }
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
