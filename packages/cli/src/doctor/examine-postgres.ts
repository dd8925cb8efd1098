import { randomUUID } from 'node:crypto';
import { systemClock } from '@sluice/core';
import type { Pool } from 'pg';
import type { Diagnosis, Examination } from './diagnosis.js';
import { optionalPackage } from './optional-package.js';
import { reasonText, remedyFor } from './reason.js';
import { compareClocks } from './server-time.js';
import type { ServerUrl } from './store-url.js';
import { tryStore } from './trial.js';

/** What has to be installed to ask a PostgreSQL. */
const INSTALL = 'pg ./sluice-postgres-*.tgz';

/** The default `timeout` of a `PostgresStore`. */
const DEADLINE_MS = 100;

/** The first version that knows each statement of the store. */
const LEAST_VERSION = 12;

/** From here on, few connections are left. */
const NEARLY_ALL = 0.8;

/** How long the end of a connection may take. */
const END_MS = 1000;

/** The table that stands in for the one that is missing. It goes with its connection. */
const STAND_IN = 'pg_temp.sluice_doctor';

const COLUMNS = ['key', 'version', 'value', 'expires_at'] as const;

const COLUMNS_SQL =
  '(key text COLLATE "C" PRIMARY KEY, version text NOT NULL, value text NOT NULL, expires_at timestamptz NOT NULL)';

/** What a server tells of itself. */
interface Facts {
  readonly version: string;
  readonly version_number: number;
  readonly is_replica: boolean;
  readonly read_only: string;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly most: number;
  readonly connections: number;
  readonly user: string;
}

/** Whether the names of other users' backends are hidden, their databases are not. */
const FACTS = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_number,
  pg_is_in_recovery() AS is_replica, current_setting('transaction_read_only') AS read_only, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS synchronous_commit, current_setting('max_connections')::int AS most,
  (SELECT count(*)::int FROM pg_stat_activity WHERE datname IS NOT NULL) AS connections, current_user::text AS "user"`;

/** $1 the table, quoted. */
const TABLE = `SELECT c.relpersistence = 'u' AS is_unlogged,
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
  ARRAY(SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p WHERE NOT has_table_privilege(c.oid, p)) AS missing
FROM pg_class AS c WHERE c.oid = to_regclass($1)`;

/** $1 the schema, quoted; null for the one where a table without a schema is created. */
const MAY_CREATE = `SELECT CASE WHEN to_regnamespace(s.name) IS NULL THEN NULL ELSE has_schema_privilege(to_regnamespace(s.name)::oid, 'CREATE') END AS may_create
FROM (SELECT coalesce($1, quote_ident(current_schema())) AS name) AS s`;

/** Examines a PostgreSQL. */
export async function examinePostgres(address: ServerUrl, examination: Examination): Promise<void> {
  const { default: pg } = await optionalPackage(import('pg'), INSTALL);
  await optionalPackage(import('@sluice/postgres'), INSTALL);
  const { timeoutMs } = examination;
  // One connection, since a temporary table is of one alone.
  const client = new pg.Pool({
    connectionString: address.text,
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  try {
    const facts = await reach(client, address, examination);
    if (facts) await examine(client, facts, examination);
  } finally {
    await Promise.race([client.end(), systemClock.sleep(END_MS, undefined, { unref: true })]);
  }
}

async function reach(client: Pool, { shown, hide }: ServerUrl, { diagnosis }: Examination): Promise<Facts | undefined> {
  try {
    const { rows } = await client.query(FACTS);
    diagnosis.ok('reachable', `PostgreSQL answers at ${shown}.`);
    return rows[0] as Facts;
  } catch (error) {
    const reason = hide(reasonText(error));
    diagnosis.fail('reachable', `PostgreSQL cannot be asked at ${shown}: ${reason}.`, remedyFor(reason));
    return undefined;
  }
}

async function examine(client: Pool, facts: Facts, { diagnosis, table }: Examination): Promise<void> {
  const isUsable = checkVersion(diagnosis, facts) && checkRole(diagnosis, facts);
  if (!isUsable) return;
  const used = await checkTable(client, facts, table, diagnosis);
  checkDurability(diagnosis, facts);
  checkConnections(diagnosis, facts);
  await compareClocks(diagnosis, async () => {
    const { rows } = await client.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms');
    return rows[0].ms as number;
  });
  if (used !== undefined) await decide(client, used, table, diagnosis);
}

function checkVersion(diagnosis: Diagnosis, { version, version_number }: Facts): boolean {
  const isNewEnough = version_number >= LEAST_VERSION * 10_000;
  if (isNewEnough) diagnosis.ok('version', `PostgreSQL ${version.split(' ')[0]}.`);
  else diagnosis.fail('version', `PostgreSQL ${version} is too old.`, `Install PostgreSQL ${LEAST_VERSION} or later.`);
  return isNewEnough;
}

function checkRole(diagnosis: Diagnosis, { is_replica, read_only }: Facts): boolean {
  const isReadOnly = is_replica || read_only === 'on';
  if (!isReadOnly) diagnosis.ok('role', 'This server is a primary, and takes writes.');
  else if (is_replica)
    diagnosis.fail('role', 'This server is a replica, and refuses writes.', 'Connect to its primary.');
  else
    diagnosis.fail(
      'role',
      'This database is read-only for this user.',
      'Set default_transaction_read_only = off for the user and the database.',
    );
  return !isReadOnly;
}

/** Looks whether the table is there and may be used. Returns the table to decide in; undefined if there is none. */
async function checkTable(
  client: Pool,
  { user }: Facts,
  table: string,
  diagnosis: Diagnosis,
): Promise<string | undefined> {
  const { rows } = await client.query(TABLE, [quoted(table)]);
  const found = rows[0] as { is_unlogged: boolean; columns: string[]; missing: string[] } | undefined;
  if (!found) return checkCreation(client, user, table, diagnosis);
  if (!COLUMNS.every((column) => found.columns.includes(column)))
    diagnosis.fail(
      'table',
      `The table ${table} is not one of a store: it lacks columns.`,
      'Give the store another table, and name it with --table.',
    );
  else if (found.missing.length > 0)
    diagnosis.fail(
      'table',
      `The user ${user} may not ${found.missing.join(', ')} in the table ${table}.`,
      `Run GRANT ${found.missing.join(', ')} ON ${table} TO ${user}.`,
    );
  else {
    if (found.is_unlogged)
      diagnosis.warn(
        'table',
        `The table ${table} is unlogged: a crash of the server empties it.`,
        `Run ALTER TABLE ${table} SET LOGGED, if limits have to outlive that.`,
      );
    else diagnosis.ok('table', `The user ${user} may read and write the table ${table}.`);
    return table;
  }
  return undefined;
}

/** Says how a table is made that is missing, and makes one that goes with the connection. */
async function checkCreation(
  client: Pool,
  user: string,
  table: string,
  diagnosis: Diagnosis,
): Promise<string | undefined> {
  const schema = table.includes('.') ? (table.split('.')[0] as string) : undefined;
  const { rows } = await client.query(MAY_CREATE, [schema === undefined ? null : quoted(schema)]);
  const mayCreate = rows[0]?.may_create as boolean | null;
  const text = `The table ${table} does not exist.`;
  if (mayCreate === true)
    diagnosis.warn(
      'table',
      `${text} The user ${user} may create it.`,
      `Call createTable() of the store, or run ${creation(table)}`,
    );
  else if (mayCreate === null)
    diagnosis.fail(
      'table',
      `${text} Nor does its schema.`,
      `Run CREATE SCHEMA ${schema ?? 'public'}; ${creation(table)}`,
    );
  else
    diagnosis.fail(
      'table',
      `${text} The user ${user} may not create it.`,
      `Run as the owner of the schema: ${creation(table)} GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${user};`,
    );
  try {
    await client.query(`CREATE TEMPORARY TABLE ${STAND_IN.split('.')[1]} ${COLUMNS_SQL}`);
    return STAND_IN;
  } catch {
    // The user may not have temporary tables. What matters has been said.
    return undefined;
  }
}

function creation(table: string): string {
  return `CREATE TABLE ${table} ${COLUMNS_SQL} WITH (fillfactor = 70); CREATE INDEX ${table.split('.').at(-1)}_expires_at ON ${table} (expires_at);`;
}

function checkDurability(diagnosis: Diagnosis, { fsync, synchronous_commit }: Facts): void {
  if (fsync === 'off')
    diagnosis.warn(
      'durability',
      'fsync is off: a machine that loses its power can damage the whole database.',
      'Set fsync = on.',
    );
  else
    diagnosis.ok(
      'durability',
      `A crash may lose the last moments: a store that is not durable writes with synchronous_commit = off, whatever the server has (${synchronous_commit}).`,
    );
}

function checkConnections(diagnosis: Diagnosis, { connections, most }: Facts): void {
  const text = `${connections} of ${most} connections (max_connections) are in use.`;
  const figures = { connections, maxConnections: most };
  if (connections > NEARLY_ALL * most)
    diagnosis.warn('connections', text, 'Lower max of the pools, or raise max_connections.', figures);
  else diagnosis.ok('connections', text, figures);
}

async function decide(client: Pool, used: string, table: string, diagnosis: Diagnosis): Promise<void> {
  const { PostgresStore } = await import('@sluice/postgres');
  const store = new PostgresStore({ client, table: used });
  try {
    await tryStore({
      diagnosis,
      store,
      policy: `doctor ${randomUUID().slice(0, 8)}`,
      place: used === table ? `in the table ${table}` : 'in a temporary table',
      deadlineMs: DEADLINE_MS,
      bare: { name: 'a SELECT 1', ask: () => client.query('SELECT 1') },
    });
  } finally {
    await store.close();
  }
}

/** The name has been checked, so that it needs no escapes. */
function quoted(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}
