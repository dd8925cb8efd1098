import { optionError } from '@sluice/core/values';

/** A name has at most 63 bytes in PostgreSQL, and the name of the index is longer than that of the table. */
const NAME = /^[a-z_][a-z0-9_]{0,49}$/;

/** A table, quoted for SQL. */
export interface TableName {
  /** For example `"limits"."sluice"`. */
  readonly table: string;
  /** For example `"sluice_expires_at"`. The index is in the schema of its table. */
  readonly index: string;
}

/**
 * Quotes a table name. It has only lower-case letters, digits and underscores, so it needs no escaping, and is the same
 * quoted and unquoted.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function tableNameOf(name: unknown): TableName {
  const parts = typeof name === 'string' ? name.split('.') : [];
  if (parts.length < 1 || parts.length > 2 || !parts.every((part) => NAME.test(part))) {
    throw optionError(
      'table',
      'must be a table, or a schema and a table ("limits.sluice"), of at most 50 lower-case letters, digits and underscores each',
      name,
    );
  }
  return { table: parts.map((part) => `"${part}"`).join('.'), index: `"${parts.at(-1)}_expires_at"` };
}
