import { SluiceError } from '@sluice/core';

/** Returns the SQLSTATE of an error from PostgreSQL, or the code of one from Node. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * The errors of a write if another transaction was faster: a swap's own division by 0; a deadlock; and a serialization
 * failure, if the database uses a stricter isolation level by default.
 */
const LOST_RACES: readonly (string | undefined)[] = ['22012', '40P01', '40001'];

export function isLostRace(error: unknown): boolean {
  return LOST_RACES.includes(codeOf(error));
}

/** A connection lacks a statement that it has prepared, or has one that another has prepared. */
const lostStatements = (): string =>
  'a pooler between client and server mixes up prepared statements: set prepare: false, or configure the pooler';

/** How to fix an error, by its SQLSTATE. */
const REMEDIES: Readonly<Record<string, (table: string) => string>> = {
  '42P01': (table) =>
    `the table ${table} does not exist: call createTable() of the store once, or run the SQL in docs/setting-up.md of @sluice/postgres`,
  '3F000': (table) => `the schema of the table ${table} does not exist: create it`,
  '42501': (table) =>
    `the database user lacks a permission: GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO it (createTable() needs CREATE on the schema)`,
  '25006': () => 'the database is a replica or read-only: connect to the primary',
  '42703': (table) => `the table ${table} does not have the columns that a store needs: use another table`,
  '42P10': (table) => `the table ${table} has no primary key "key": use another table`,
  '28P01': () => 'PostgreSQL refused the password: set the right one on the client',
  '28000': () => 'PostgreSQL refused the user: set another one on the client, or allow it in pg_hba.conf',
  '3D000': () => 'the database does not exist: create it, or set another one on the client',
  '53300': () => 'PostgreSQL has no connection left: lower max of the pools, or raise max_connections',
  '55P03': () =>
    'another transaction holds a lock on the rows for longer than the timeout: give the store a table of its own',
  '26000': lostStatements,
  '42P05': lostStatements,
};

/** How to fix an error that has no code of its own, by its message: those of the client for calls after its end, and one of PgBouncer. */
const BY_MESSAGE: readonly [says: RegExp, remedy: string][] = [
  [
    /after calling end on the pool|Client was closed|is not queryable/,
    'the PostgreSQL client was closed, or lost its connection: use a Pool, which connects again, and end it after the store',
  ],
  [
    /unsupported startup parameter/,
    'a pooler takes no settings such as statement_timeout from the client: leave them out there, and set them for the database user',
  ],
];

/** Returns an error that says how to fix the problem, or the original error if there is no advice. */
export function explained(error: unknown, table: string): unknown {
  if (!(error instanceof Error) || error instanceof SluiceError) return error;
  const remedy = BY_MESSAGE.find(([says]) => says.test(error.message))?.[1] ?? REMEDIES[codeOf(error) ?? '']?.(table);
  return remedy === undefined ? error : new SluiceError('SLUICE_STORE', remedy, { cause: error });
}
