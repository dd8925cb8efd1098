import { SluiceError } from '@sluice/core';
import { PostgresStore } from '@sluice/postgres';
// Older versions of pg have no names to import.
import pg from 'pg';
import type { SharedStore } from './opened-store.js';
import type { StoreOptions } from './options/server-options.js';

/** When a server counts as gone that does not take a connection. */
const CONNECT_TIMEOUT_MS = 400;

/** When a statement ends on the server that nobody waits for any more. */
const STATEMENT_TIMEOUT_MS = 1000;

/** How long making the table may take. */
const QUERY_TIMEOUT_MS = 5000;

/** What PostgreSQL says of a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

/** Counts in a table of PostgreSQL, with all instances together. Makes the table if it is missing. */
export function openPostgres({ address, timeoutMs, instances }: StoreOptions): SharedStore {
  const client = new pg.Pool({
    connectionString: address.place,
    max: 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A new connection may take longer than a decision.
    idleTimeoutMillis: 0,
    statement_timeout: Math.max(STATEMENT_TIMEOUT_MS, 2 * timeoutMs),
    query_timeout: QUERY_TIMEOUT_MS,
  });
  const store = new PostgresStore({ client, timeout: timeoutMs, instances });
  return {
    store,
    ready: (withinMs) => prepare(store, withinMs),
    close: async () => {
      await store.close();
      await client.end();
    },
  };
}

/** A user who may not make a table needs none that is there to be made. */
async function prepare(store: PostgresStore, withinMs: number): Promise<void> {
  try {
    await store.ready({ timeout: withinMs });
  } catch (error) {
    if (!isTableMissing(error)) throw error;
    await store.createTable();
    await store.ready({ timeout: withinMs });
  }
}

function isTableMissing(error: unknown): boolean {
  const { code } = ((error instanceof SluiceError && error.cause) || {}) as { readonly code?: unknown };
  return code === UNDEFINED_TABLE;
}
