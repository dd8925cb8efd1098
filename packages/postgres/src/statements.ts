import { createHash } from 'node:crypto';
import type { TableName } from './table-name.js';

/** A statement, and the name under which connections prepare it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** PostgreSQL's time in milliseconds. Unlike `now()` it goes on while a statement waits for a lock. */
const TIME_MS = 'extract(epoch FROM clock_timestamp()) * 1000';

/**
 * The statements of a store. Only the name of the table varies, and it has been checked. All that they return is text: how other types come
 * depends on settings of the session and of the client.
 */
export class Statements {
  /** $1 keys. Returns at least one row, which has the time. */
  readonly read: Statement;
  /** $1 key, $2 version, $3 value, $4 for ms, $5 not after, $6 lock timeout, $7 synchronous commit. */
  readonly add: Statement;
  /** Like `add`, with $8: the version that was read. */
  readonly change: Statement;
  /** $1 key, $2 the version that was read, $3 not after, $4 lock timeout, $5 synchronous commit. */
  readonly remove: Statement;
  /**
   * $1 keys, $2 the versions that were read, $3 versions, $4 values, $5 for ms, $6 not after, $7 lock timeout, $8
   * synchronous commit. Returns whether everything was changed. If not, or if it fails, nothing was changed.
   */
  readonly swap: Statement;
  /** $1 keys. */
  readonly delete: Statement;
  /** $1 the most rows to delete. */
  readonly deleteExpired: Statement;

  constructor({ table }: TableName) {
    const isInTime = (notAfter: string) => `(${notAfter}::float8 IS NULL OR ${TIME_MS} <= ${notAfter}::float8)`;
    const hasSettings = (lock: string, commit: string) =>
      `set_config('lock_timeout', ${lock}, true) IS NOT NULL AND set_config('synchronous_commit', ${commit}, true) IS NOT NULL`;
    const after = (ms: string) => `clock_timestamp() + ${ms} * interval '1 millisecond'`;
    /** Later than necessary, so that the time need not change with the next write. */
    const newEnd = (ms: string) => after(`1.5 * ${ms}`);
    /**
     * If the old end is late enough, and less than twice as late, it stays. A row whose indexed columns do not change
     * is cheaper to update.
     */
    const endOf = (ms: string) =>
      `CASE WHEN e.expires_at BETWEEN ${after(ms)} AND ${after(`2 * ${ms}`)} THEN e.expires_at ELSE ${newEnd(ms)} END`;

    this.read = statement(
      'read',
      `SELECT floor(${TIME_MS})::bigint::text AS at, e.key, e.version, e.value,
  ceil(extract(epoch FROM e.expires_at - clock_timestamp()) * 1000)::bigint::text AS for_ms
FROM (VALUES (1)) AS one LEFT JOIN ${table} AS e ON e.key = ANY ($1::text[])`,
    );
    this.add = statement(
      'add',
      `INSERT INTO ${table} (key, version, value, expires_at)
SELECT $1, $2, $3, ${newEnd('$4::float8')}
WHERE ${hasSettings('$6', '$7')} AND ${isInTime('$5')}
ON CONFLICT (key) DO NOTHING`,
    );
    this.change = statement(
      'change',
      `UPDATE ${table} AS e SET version = $2, value = $3, expires_at = ${endOf('$4::float8')}
WHERE e.key = $1 AND e.version = $8 AND ${hasSettings('$6', '$7')} AND ${isInTime('$5')}`,
    );
    this.remove = statement(
      'remove',
      `DELETE FROM ${table} AS e WHERE e.key = $1 AND e.version = $2 AND ${hasSettings('$4', '$5')} AND ${isInTime('$3')}`,
    );
    // Rows are locked and added in the order of their keys, so that two of these statements never wait for each other.
    // Existing rows are compared before anything is added, and are changed only if all missing rows could be added. If
    // another transaction added one of them meanwhile, something has to be undone: the statement then fails with a
    // division by 0.
    this.swap = statement(
      'swap',
      `WITH wanted AS MATERIALIZED (
  SELECT w.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[]) AS w(key, was, version, value, ms)
  WHERE ${hasSettings('$7', '$8')}
), held AS MATERIALIZED (
  SELECT e.key FROM ${table} AS e JOIN wanted AS w ON e.key = w.key AND e.version = w.was ORDER BY e.key FOR UPDATE OF e
), agreed AS MATERIALIZED (
  SELECT (SELECT count(*) FROM held) = (SELECT count(*) FROM wanted WHERE was IS NOT NULL) AND ${isInTime('$6')} AS yes
), added AS (
  INSERT INTO ${table} AS e (key, version, value, expires_at)
  SELECT key, version, value, ${newEnd('ms')} FROM wanted, agreed WHERE yes AND was IS NULL ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO NOTHING RETURNING 1
), complete AS MATERIALIZED (
  SELECT yes AND (SELECT count(*) FROM added) = (SELECT count(*) FROM wanted WHERE was IS NULL) AS yes FROM agreed
), changed AS (
  UPDATE ${table} AS e SET version = w.version, value = w.value, expires_at = ${endOf('w.ms')}
  FROM wanted AS w, complete AS c WHERE c.yes AND e.key = w.key AND e.version = w.was AND w.value IS NOT NULL
), removed AS (
  DELETE FROM ${table} AS e USING wanted AS w, complete AS c
  WHERE c.yes AND e.key = w.key AND e.version = w.was AND w.value IS NULL
)
SELECT CASE WHEN c.yes THEN 'yes' WHEN (SELECT count(*) FROM added) = 0 THEN 'no'
  ELSE (1 / (0 * (SELECT count(*) FROM added)))::text END AS is_made
FROM complete AS c`,
    );
    this.delete = statement('delete', `DELETE FROM ${table} WHERE key = ANY ($1::text[])`);
    this.deleteExpired = statement(
      'expire',
      `DELETE FROM ${table} WHERE key IN (
  SELECT key FROM ${table} WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
)`,
    );
  }
}

/**
 * Says whether the table is there, with an index for its ends. `IF NOT EXISTS` is refused to a user who may not create, also where nothing
 * would be created.
 */
export function isThereText({ table }: TableName): string {
  return `SELECT CASE WHEN EXISTS (
  SELECT FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
  WHERE i.indrelid = to_regclass('${table}') AND a.attname = 'expires_at'
) THEN 'yes' ELSE 'no' END AS is_there`;
}

/** Two tables, and two versions of Sluice over one connection, have statements of other names: a connection keeps one text for each. */
function statement(name: string, text: string): Statement {
  return { name: `sluice_${name}_${createHash('sha256').update(text).digest('hex').slice(0, 12)}`, text };
}

/** Creates the table if it is missing. If several instances start together, one creates it, and the others wait. */
export function createTableText({ table, index }: TableName, isUnlogged: boolean): string {
  return `SELECT pg_advisory_xact_lock(7741264389);
CREATE ${isUnlogged ? 'UNLOGGED ' : ''}TABLE IF NOT EXISTS ${table} (
  key text COLLATE "C" PRIMARY KEY,
  version text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX IF NOT EXISTS ${index} ON ${table} (expires_at)`;
}

/**
 * Says which table of which server this is, whoever is connected: one server process has one time of start, and one table of
 * this number in this database.
 */
export function identityText({ table }: TableName): string {
  return `SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_database(), '${table}'::regclass::oid) AS identity`;
}
