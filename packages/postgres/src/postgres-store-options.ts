import type { Clock, Duration } from '@sluice/core';
import type { PostgresClient } from './postgres-client.js';

/** The options of a PostgresStore. */
export interface PostgresStoreOptions {
  /** The name under which `storeMetrics()` counts the store: 1 to 128 printable ASCII characters. Default: `'postgres'`. */
  name?: string;
  /** A `Pool` of node-postgres, or a connected `Client`. `close()` does not end it. */
  client: PostgresClient;
  /** The table, optionally with its schema: `'limits.sluice'`. Default: `'sluice'`. */
  table?: string;
  /** How long a decision may take. After that, the policy's `onStoreError` decides. Default: 100 ms. */
  timeout?: Duration;
  /**
   * How many instances of the application share this table. It determines the share that each instance admits by itself
   * while PostgreSQL is unreachable. Default: 1.
   */
  instances?: number;
  /** How often a decision is tried if other instances change its rows meanwhile: 1 to 1,000. Default: 50. */
  attempts?: number;
  /**
   * Whether a decision waits until PostgreSQL has written it to disk. Default: false (`synchronous_commit = off`): it
   * is faster, but a crash of the server may lose the last moments.
   */
  durable?: boolean;
  /** Whether to use prepared statements. Set it to false behind a pooler that does not keep them. Default: true. */
  prepare?: boolean;
  /** The time for tests, instead of the server's time. Rows are then kept for at least 10 minutes. */
  clock?: Clock;
}

/** The options of `createTable`. */
export interface CreateTableOptions {
  /**
   * Whether the table is unlogged. Writes are then cheaper, but a crash of the server empties the table. Default:
   * false.
   */
  unlogged?: boolean;
}

/** The options of `ready`. */
export interface ReadyOptions {
  /** When `ready()` rejects. Default: 5 s. */
  timeout?: Duration;
}
