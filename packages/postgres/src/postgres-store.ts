import { fixedWindow } from '@sluice/core';
import { CompareAndSwapStore, DeadlineBudget, type ReadyOptions, TIMEOUTS_PER_CALL } from '@sluice/core/store';
import { checkOneOf, checkOptions, checkWhole, optionError, timerMs } from '@sluice/core/values';
import { tolerateErrors } from './client-errors.js';
import { EXPIRED_AT_ONCE, PostgresBackend } from './postgres-backend.js';
import { type PostgresClient, troubleOf } from './postgres-client.js';
import { explained } from './postgres-error.js';
import { keyspaceOf } from './postgres-keyspace.js';
import type { CreateTableOptions, PostgresStoreOptions } from './postgres-store-options.js';
import { untilReachable } from './readiness.js';
import { createTableText, identityText, isThereText, Statements } from './statements.js';
import { type TableName, tableNameOf } from './table-name.js';

const OPTIONS = [
  'name',
  'client',
  'table',
  'timeout',
  'instances',
  'random',
  'attempts',
  'durable',
  'prepare',
  'clock',
] as const;

/** A request that tests whether the store can read and write its table. No policy has an empty name. */
const TRIAL = { policy: '', name: '', key: '', limit: fixedWindow({ limit: 1, window: '1s' }), cost: 1 };

/** A server that has just answered tells who it is within this time. */
const IDENTIFIED_WITHIN_MS = 1000;

/** Few enough to leave connections of a pool to others, and to let simultaneous decisions share a read and a write. */
const PARALLEL = 4;

/**
 * Counts in a table of PostgreSQL, for any number of instances. A decision about any mix of limits is one read and at
 * most one write. The write happens only if nobody else was faster. Choose it if you have PostgreSQL and no Redis; a
 * `RedisStore` is faster.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example
 * const store = new PostgresStore({ client: new Pool({ connectionString }), instances: 4 });
 * await store.createTable();
 * app.use(rateLimit({ limit: 100, window: '1m', store }));
 */
export class PostgresStore extends CompareAndSwapStore {
  readonly #client: PostgresClient;
  readonly #table: TableName;
  readonly #backend: PostgresBackend;
  readonly #stopTolerating: () => void;

  constructor(options: PostgresStoreOptions) {
    checkOptions(options, OPTIONS);
    const { client, table = 'sluice', durable = false, prepare = true, ...shared } = options;
    const { name = 'postgres', timeout = 100 } = shared;
    checkClient(client);
    const tableName = tableNameOf(table);
    const backend = new PostgresBackend({
      client,
      table,
      statements: new Statements(tableName),
      timeoutMs: timerMs(timeout, 'timeout', TIMEOUTS_PER_CALL),
      isDurable: checkOneOf(durable, 'durable', [true, false]),
      isPrepared: checkOneOf(prepare, 'prepare', [true, false]),
    });
    super(backend, {
      ...shared,
      name,
      timeout,
      parallel: PARALLEL,
      trouble: () => troubleOf(client),
      keyspace: keyspaceOf(client, table),
    });
    this.#client = client;
    this.#table = tableName;
    this.#backend = backend;
    this.#stopTolerating = tolerateErrors(client);
  }

  /**
   * Creates the table and its index if they are missing. Call it when the application starts, or run the SQL in
   * `docs/setting-up.md` as a migration. Where they are there, the database user needs no right to create them.
   *
   * @throws SluiceError `SLUICE_STORE` if they are missing, and the database user may not create them
   */
  async createTable(options: CreateTableOptions = {}): Promise<void> {
    checkOptions(options, ['unlogged']);
    const isUnlogged = checkOneOf(options.unlogged ?? false, 'unlogged', [true, false]);
    try {
      const { rows } = await this.#client.query({ text: isThereText(this.#table) });
      if (rows[0]?.is_there !== 'yes') await this.#client.query({ text: createTableText(this.#table, isUnlogged) });
    } catch (error) {
      throw explained(error, this.#table.table);
    }
    await this.#identify();
  }

  /**
   * Resolves when the store has decided about a trial and removed it again: a connection is open and has the plans of its
   * statements, and the user may read and write the table. So the first decision is as quick as later ones. It is optional:
   * call it at the start of a program to see problems early. It waits for a database that cannot be reached yet, or is still
   * starting. Without the table it rejects at once: if the table may be missing, call `createTable` first.
   *
   * @throws SluiceError `SLUICE_STORE` if the database cannot be reached or does not answer within the `timeout` (the cause is
   * the last error), or refuses; `SLUICE_CLOSED`
   * @example
   * store.ready({ timeout: '2s' }).catch((error) => console.warn(error.message));
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    checkOptions(options, ['timeout']);
    const timeoutMs = timerMs(options.timeout ?? 5000, 'timeout', TIMEOUTS_PER_CALL);
    const [keyspace] = this.keyspaces;
    const attempt = async (): Promise<void> => {
      await this.consume({ checks: [TRIAL] });
      await this.reset([TRIAL]);
    };
    await untilReachable({ keyspace, timeoutMs, attempt, trouble: this.remote.trouble });
    await this.#identify();
  }

  /** Finds out which table of which server this is. Without that, only a warning is missing, so it waits for no connection of a pool. */
  async #identify(): Promise<void> {
    const query = { text: identityText(this.#table), query_timeout: IDENTIFIED_WITHIN_MS };
    const answered = this.#client.query(query).then(({ rows }) => {
      const identity = rows[0]?.identity;
      if (identity !== undefined) this.keyspaces[0].identify(`postgres ${identity}`);
    });
    await new DeadlineBudget(IDENTIFIED_WITHIN_MS).within(answered).catch(() => {});
  }

  /**
   * Deletes at most this many expired rows (default: 1,000), and resolves with their number. Decisions do this about
   * once a second. Call it if the table should shrink while no requests come.
   */
  deleteExpired(most = EXPIRED_AT_ONCE): Promise<number> {
    return this.#backend.deleteExpired(checkWhole(most, 'most', 1));
  }

  override async close(): Promise<void> {
    await super.close();
    this.#stopTolerating();
  }
}

function checkClient(client: PostgresClient): void {
  if (typeof client?.query !== 'function')
    throw optionError('client', 'must be a client of node-postgres: new Pool({ connectionString })', client);
}
