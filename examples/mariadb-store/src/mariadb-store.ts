import { type CompareAndSwapOptions, compareAndSwapStore, Keyspace, type StoreWithBlocks } from '@sluice/core/store';
import { durationMs } from '@sluice/core/values';
import { createPool, type Pool } from 'mysql2/promise';
import { MariadbBackend } from './mariadb-backend.js';
import { CREATE_TABLE, SETTINGS } from './statements.js';

/** Few enough to leave connections to others, and to let simultaneous decisions share a read and a swap. */
const PARALLEL = 4;

/** One more than decisions take, for what deletes expired rows. */
const CONNECTIONS = PARALLEL + 1;

/** A connection that is silent for so long is given up, even if the deadlines are shorter. */
const LEAST_SILENCE_MS = 1000;

/** Stores over one pool count together. */
const PLACE = { place: 'this pool of MariaDB', suggestion: 'give one of the stores another database' };

/**
 * Returns a pool with the settings that a store needs.
 *
 * @param uri - such as `mysql://user:password@db.internal/app`
 */
export function mariadbPool(uri: string): Pool {
  const pool = createPool({ uri, connectionLimit: CONNECTIONS, connectTimeout: LEAST_SILENCE_MS });
  // A connection makes its queries one after another: these come before the first decision.
  pool.pool.on('connection', (connection) => {
    for (const setting of SETTINGS) connection.query(setting, (error) => error && connection.destroy());
  });
  return pool;
}

/** Creates the table if it is missing. */
export async function createTable(pool: Pool): Promise<void> {
  await pool.query(CREATE_TABLE);
}

/**
 * Returns a store that counts in MariaDB, for any number of instances. `close()` does not end the pool.
 *
 * @example
 * const pool = mariadbPool('mysql://api@127.0.0.1/limits');
 * await createTable(pool);
 * app.use(rateLimit({ limit: 100, window: '1m', store: mariadbStore(pool, { instances: 4 }) }));
 */
export function mariadbStore(pool: Pool, options: CompareAndSwapOptions = {}): StoreWithBlocks {
  const { timeout = '100ms' } = options;
  const silenceMs = Math.max(LEAST_SILENCE_MS, 2 * durationMs(timeout, 'timeout'));
  return compareAndSwapStore(new MariadbBackend(pool, silenceMs), {
    name: 'mariadb',
    timeout,
    parallel: PARALLEL,
    keyspace: new Keyspace(pool, PLACE),
    ...options,
  });
}
