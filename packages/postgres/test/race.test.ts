import { join } from 'node:path';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { raceSuite } from '@sluice/test-kit/race/race-suite';

let server: PostgresServer;

withPostgres(async (client, given) => {
  server = given;
  await client.query('CREATE TABLE holders AS SELECT 0 AS held');
});

raceSuite(join(__dirname, 'race/racer.ts'), () => [`${server.port}`]);
