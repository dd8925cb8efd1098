import type { Store } from '@sluice/core';
import { LeasedStore } from '@sluice/core/distributed';
import { limiterSuites, OVER_EVERYTHING, OVER_LEASES } from '@sluice/test-kit/limiter-suites';
import { SqliteStore } from '../src/index.js';
import { newFile } from './database-folder.js';

type Make = Parameters<typeof limiterSuites>[1];

const pairOf =
  (form: (store: SqliteStore) => Store): Make =>
  async (clock) => {
    const file = newFile();
    const one = (): Store => form(new SqliteStore({ file, timeout: '20s', ...(clock && { clock }) }));
    return [one(), one()];
  };

limiterSuites(
  'SQLite with two connections',
  pairOf((store) => store),
  OVER_EVERYTHING,
);
limiterSuites(
  'leases of SQLite',
  pairOf((store) => new LeasedStore({ busyFrom: 1, store })),
  OVER_LEASES,
);
