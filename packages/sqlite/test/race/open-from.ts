import type { OpenSqlite, SqliteDatabase } from '../../src/index.js';

/** Returns what opens databases in a program that is outside of the repository: `node:sqlite`, or the libsql that `load` finds. */
export function openFrom(load: (name: string) => unknown): OpenSqlite {
  const builtIn = process.getBuiltinModule?.('node:sqlite') as
    | { readonly DatabaseSync: new (file: string) => SqliteDatabase }
    | undefined;
  const Database = builtIn?.DatabaseSync ?? (load('libsql') as new (file: string) => SqliteDatabase);
  return (file) => new Database(file);
}
