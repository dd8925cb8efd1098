import { chargeSuite } from '@sluice/test-kit/charge-suite';
import { operationSuite } from '@sluice/test-kit/operation-suite';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let pools: readonly [Pool, Pool];

withPostgres((pool, server) => {
  pools = [pool, server.pool()];
});

const twoPools = async (): Promise<[PostgresStore, PostgresStore]> => {
  await pools[0].query('TRUNCATE sluice');
  const [here, there] = pools.map((client) => new PostgresStore({ client, timeout: '1m' }));
  return [here, there] as [PostgresStore, PostgresStore];
};

operationSuite('PostgreSQL with two pools', twoPools);
chargeSuite('PostgreSQL with two pools', twoPools);
