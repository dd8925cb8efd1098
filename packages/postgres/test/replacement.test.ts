import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { replacementSuite } from '@sluice/test-kit/replacement-suite';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let pool: Pool;

withPostgres((given) => {
  pool = given;
});

replacementSuite('PostgreSQL', async () => {
  await pool.query('TRUNCATE sluice');
  return new PostgresStore({ client: pool, timeout: '1m' });
});
