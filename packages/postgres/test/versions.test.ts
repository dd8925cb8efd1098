import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { statesInPostgres } from '@sluice/test-kit/versions/states';
import { versionsSuite } from '@sluice/test-kit/versions/versions-suite';
import type { Pool } from 'pg';

let client: Pool;

withPostgres((given) => {
  client = given;
});

versionsSuite({
  kind: 'postgres',
  states: () => statesInPostgres(client),
  makeStore: (version, clock) => new version.PostgresStore({ client, timeout: '10s', ...(clock && { clock }) }),
});
