import { SluiceError } from '@sluice/core';
import { SqliteStore } from '@sluice/sqlite';
import type { SharedStore } from './opened-store.js';
import type { StoreOptions } from './options/server-options.js';

/** Counts in a file of SQLite, with all instances of this machine together. */
export function openSqlite({ address, timeoutMs, instances }: StoreOptions): SharedStore {
  const store = new SqliteStore({ file: address.place, timeout: timeoutMs, instances });
  return {
    store,
    ready: (withinMs) =>
      store.ready({ timeout: withinMs }).catch((error: unknown) => {
        throw withoutDriver(error) ?? error;
      }),
    close: () => store.close(),
  };
}

/** Returns what helps if Node has no SQLite, and no package is there in its place. */
function withoutDriver(error: unknown): SluiceError | undefined {
  if (!(error instanceof SluiceError) || error.code !== 'SLUICE_UNSUPPORTED') return undefined;
  const rule = '--store needs libsql, which is not installed, or Node 22.13 or later: npm install libsql';
  return new SluiceError('SLUICE_OPTION', rule, { cause: error });
}
