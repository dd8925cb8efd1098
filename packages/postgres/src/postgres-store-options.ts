import type { RemoteStoreOptions } from '@sluice/core/store';
import type { PostgresClient } from './postgres-client.js';

/** The options of a PostgresStore. */
export interface PostgresStoreOptions extends RemoteStoreOptions {
  /** A `Pool` of node-postgres, or a connected `Client`. `close()` does not end it. */
  client: PostgresClient;
  /** The table, optionally with its schema: `'limits.sluice'`. Default: `'sluice'`. */
  table?: string;
  /** How often a decision is tried if other instances change its rows meanwhile: 1 to 1,000. Default: 50. */
  attempts?: number;
  /**
   * Whether a decision waits until PostgreSQL has written it to disk. Default: false (`synchronous_commit = off`): it
   * is faster, but a crash of the server may lose the last moments.
   */
  durable?: boolean;
  /** Whether to use prepared statements. Set it to false behind a pooler that does not keep them. Default: true. */
  prepare?: boolean;
}

/** The options of `createTable`. */
export interface CreateTableOptions {
  /**
   * Whether the table is unlogged. Writes are then cheaper, but a crash of the server empties the table. Default:
   * false.
   */
  unlogged?: boolean;
}
