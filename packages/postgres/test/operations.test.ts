import { operationSuite } from '@sluice/test-kit/operation-suite';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let pools: readonly [Pool, Pool];

withPostgres((pool, server) => {
  pools = [pool, server.pool()];
});

operationSuite('PostgreSQL with two pools', async () => {
  await pools[0].query('TRUNCATE sluice');
  const [here, there] = pools.map((client) => new PostgresStore({ client, timeout: '1m' }));
  return [here, there] as [PostgresStore, PostgresStore];
});
