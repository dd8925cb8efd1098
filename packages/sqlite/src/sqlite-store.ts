import { resolve } from 'node:path';
import { fixedWindow, SluiceError } from '@sluice/core';
import { CompareAndSwapStore, Keyspace, type ReadyOptions, TIMEOUTS_PER_CALL, untilReady } from '@sluice/core/store';
import { checkOneOf, checkOptions, checkWhole, optionError, timerMs } from '@sluice/core/values';
import { EXPIRED_AT_ONCE, SqliteBackend } from './sqlite-backend.js';
import type { SqliteStoreOptions } from './sqlite-store-options.js';

const OPTIONS = [
  'name',
  'file',
  'table',
  'timeout',
  'instances',
  'random',
  'attempts',
  'durable',
  'open',
  'clock',
] as const;

const TABLE = /^[a-z_][a-z0-9_]{0,49}$/;

/** A request that tests whether the store can read and write its table. No policy has an empty name. */
const TRIAL = { policy: '', name: '', key: '', limit: fixedWindow({ limit: 1, window: '1s' }), cost: 1 };

/** What stores of one process with the same file and table have in common, by both. */
const places = new Map<string, object>();

/**
 * Counts in a file of SQLite, for all processes of one machine. Limits outlive a restart, and there is no server. A decision about any mix of
 * limits is one read and at most one transaction. Choose it if your application runs on one machine; a `RedisStore` or a `PostgresStore` counts
 * for several.
 *
 * If this version of Node has no `node:sqlite`, and libsql is not installed, `ready` and all decisions reject with `SLUICE_UNSUPPORTED`.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new SqliteStore({ file: 'limits.db', instances: 4 });
 * app.use(rateLimit({ limit: 100, window: '1m', store }));
 */
export class SqliteStore extends CompareAndSwapStore {
  readonly #backend: SqliteBackend;

  constructor(options: SqliteStoreOptions) {
    checkOptions(options, OPTIONS);
    const { file, table = 'sluice', durable = false, open, ...shared } = options;
    const { name = 'sqlite', timeout = 100 } = shared;
    const path = resolve(checkFile(file));
    if (typeof table !== 'string' || !TABLE.test(table))
      throw optionError('table', 'must have at most 50 lower-case letters, digits and underscores', table);
    if (open !== undefined && typeof open !== 'function')
      throw optionError('open', 'must be a function that opens a path', open);
    const keyspace = keyspaceOf(path, table);
    const backend = new SqliteBackend({
      open,
      file: path,
      table,
      isDurable: checkOneOf(durable, 'durable', [true, false]),
      // A policy may have a longer timeout. After this time, a call is given up in any case.
      longestWaitMs: TIMEOUTS_PER_CALL * timerMs(timeout, 'timeout', TIMEOUTS_PER_CALL),
      opened: ({ identity }) => keyspace.identify(`sqlite ${identity} ${table}`),
    });
    // A call of the backend ends before the next one could begin. So decisions gather meanwhile, and share a transaction.
    super(backend, { ...shared, name, timeout, parallel: 1, keyspace, trouble: () => backend.trouble });
    this.#backend = backend;
  }

  /**
   * Resolves when the store has opened its file, decided about a trial, and removed it again. It is optional: call it at the start of a program
   * to see problems early. It waits for a lock that another process holds.
   *
   * @throws SluiceError `SLUICE_STORE` if the file cannot be opened or written, or stays locked for the `timeout`; `SLUICE_UNSUPPORTED`; `SLUICE_CLOSED`
   * @example
   * await store.ready({ timeout: '2s' });
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    checkOptions(options, ['timeout']);
    const timeoutMs = timerMs(options.timeout ?? 5000, 'timeout', TIMEOUTS_PER_CALL);
    const [keyspace] = this.keyspaces;
    let lastError: SluiceError | undefined;
    const work = async (over: AbortSignal): Promise<void> => {
      while (!over.aborted) {
        try {
          await this.consume({ checks: [TRIAL] });
          await this.reset([TRIAL]);
          return;
        } catch (error) {
          if (!(error instanceof SluiceError) || error.storeFailure !== 'timeout') throw error;
          lastError = error;
        }
      }
    };
    const late = () => ({ what: 'the file could not be used', why: [this.#backend.trouble], cause: lastError });
    await untilReady({ keyspace, timeoutMs, work, late });
  }

  /**
   * Deletes at most this many expired rows (default: 100), and resolves with their number. Writes do this about once a second. Call it if the
   * table should shrink while no requests come.
   *
   * @throws SluiceError `SLUICE_OPTION`, `SLUICE_STORE`
   */
  deleteExpired(most = EXPIRED_AT_ONCE): Promise<number> {
    return this.#backend.deleteExpired(checkWhole(most, 'most', 1));
  }
}

function checkFile(file: unknown): string {
  if (typeof file === 'string' && file !== '' && !file.startsWith(':') && !file.includes('\0')) return file;
  throw optionError('file', 'must be the path of a file (for limits in memory, use a MemoryStore)', file);
}

function keyspaceOf(path: string, table: string): Keyspace {
  const id = `${path}\0${table}`;
  const place = places.get(id) ?? {};
  places.set(id, place);
  return new Keyspace(place, {
    place: `the file ${path} and the table ${table}`,
    suggestion: 'give one of the stores another table',
  });
}
