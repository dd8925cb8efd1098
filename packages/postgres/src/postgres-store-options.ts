import type { Clock, Duration } from '@sluice/core';
import type { PostgresClient } from './postgres-client.js';

/** Which PostgreSQL a PostgresStore counts in, in which table, and how long it waits. */
export interface PostgresStoreOptions {
  /** A `Pool` of node-postgres, or a connected `Client`. It stays the user's: `close()` does not end it. */
  client: PostgresClient;
  /** The table, with its schema if you like: `'limits.sluice'`; default `'sluice'`. */
  table?: string;
  /** How long a decision may take; default 100 ms. After it, the policy's `onStoreError` answers. */
  timeout?: Duration;
  /**
   * How many instances of the application share this table, for what each may admit by itself while PostgreSQL is gone. By
   * default 1.
   */
  instances?: number;
  /** How often a decision is tried that others keep overtaking, 1 to 1,000; default 50. */
  attempts?: number;
  /**
   * Default false: a decision does not wait until PostgreSQL has it on disk (`synchronous_commit = off`), so a crash of the
   * server may forget the last moments. With true, it waits.
   */
  durable?: boolean;
  /** Default true. Set false behind a pooler that does not keep prepared statements. */
  prepare?: boolean;
  /** For tests: its time in place of the server's. Rows are then kept for 10 minutes at least. */
  clock?: Clock;
}

/** How the table is created. */
export interface CreateTableOptions {
  /** Default false. With true, a crash of the server empties the table, and writes are cheaper. */
  unlogged?: boolean;
}
