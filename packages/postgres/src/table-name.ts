import { optionError } from '@sluice/core/store';

/** Names are at most 63 bytes long in PostgreSQL, and the index has a longer name than its table. */
const NAME = /^[a-z_][a-z0-9_]{0,49}$/;

/** A table, quoted for SQL. */
export interface TableName {
  /** `"limits"."sluice"` */
  readonly table: string;
  /** `"sluice_expires_at"`; it is made in the schema of its table. */
  readonly index: string;
}

/**
 * Only lower-case letters, digits and underscores: such a name needs no escaping, and is the same quoted and unquoted.
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
