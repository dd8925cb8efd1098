import { SluiceError } from '@sluice/core';

/** The SQLSTATE of an error that PostgreSQL told. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * What a swap fails with when another was faster: its own division by 0; a deadlock; and what stricter isolation levels say,
 * where they are the default of the database.
 */
const LOST_RACES: readonly (string | undefined)[] = ['22012', '40P01', '40001'];

export function isLostRace(error: unknown): boolean {
  return LOST_RACES.includes(codeOf(error));
}

/** What to do about an error, by its SQLSTATE. */
const REMEDIES: Readonly<Record<string, (table: string) => string>> = {
  '42P01': (table) => `there is no table ${table}: call createTable() of the store once, or run the SQL in its README`,
  '3F000': (table) => `there is no schema for the table ${table}: create it`,
  '42501': (table) =>
    `the database user lacks a right: GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO it (createTable() needs CREATE on the schema)`,
  '25006': () => 'the database takes no writes, being a replica or read-only: connect to the primary',
  '42703': (table) => `the table ${table} has other columns than a store needs: name another table`,
  '42P10': (table) => `the table ${table} has no primary key "key": name another table`,
  '28P01': () => 'PostgreSQL wants another password: set it on the client',
  '28000': () => 'PostgreSQL does not accept this user: set another on the client, or allow it in pg_hba.conf',
  '3D000': () => 'there is no such database: create it, or name another on the client',
  '53300': () => 'PostgreSQL has no connection left: lower max of the pools, or raise max_connections',
  '55P03': () =>
    'another transaction holds a lock on the rows for longer than the timeout: give the store a table of its own',
  '26000': () => 'prepared statements get lost between client and server: set prepare: false, or configure the pooler',
};

/** What the client itself says of calls after its end. */
const IS_CLOSED = /after calling end on the pool|Client was closed|is not queryable/;

/** The error as it came, or, where something can be done about it, one that says what. */
export function explained(error: unknown, table: string): unknown {
  if (!(error instanceof Error) || error instanceof SluiceError) return error;
  const remedy = IS_CLOSED.test(error.message)
    ? 'the PostgreSQL client was closed, or lost its connection: use a Pool, which connects again, and end it after the store'
    : REMEDIES[codeOf(error) ?? '']?.(table);
  return remedy === undefined ? error : new SluiceError('SLUICE_STORE', remedy, { cause: error });
}
