import type { Clock, Store } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { limiterSuites, OVER_EVERYTHING, OVER_LEASES, OVER_SYNCED } from '@sluice/test-kit/limiter-suites';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let pools: readonly [Pool, Pool];

withPostgres((pool, server) => {
  pools = [pool, server.pool()];
});

const pairOf =
  (form: (store: PostgresStore) => Store) =>
  async (clock?: Clock): Promise<readonly [Store, Store]> => {
    await pools[0].query('TRUNCATE sluice');
    const [here, there] = pools.map((client) =>
      form(new PostgresStore({ client, timeout: '20s', ...(clock && { clock }) })),
    );
    return [here, there] as [Store, Store];
  };

limiterSuites(
  'PostgreSQL with two pools',
  pairOf((store) => store),
  OVER_EVERYTHING,
);
// These share their code with the same stores in front of Redis. `npm run proof -- suites` runs them.
if (process.env.SLUICE_SUITES === 'full') {
  limiterSuites(
    'leases of PostgreSQL',
    pairOf((store) => new LeasedStore({ busyFrom: 1, store })),
    OVER_LEASES,
  );
  limiterSuites(
    'synchronized counters of PostgreSQL',
    pairOf((store) => new SyncedStore({ busyFrom: 1, store })),
    OVER_SYNCED,
  );
  limiterSuites(
    'one shard of PostgreSQL',
    pairOf((store) => new ShardedStore({ nodes: { only: store } })),
    OVER_EVERYTHING,
  );
}
