import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { LeasedStore } from '@sluice/core/distributed';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { COUNTED_AHEAD } from '@sluice/test-kit/store-claims';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let client: Pool;

withPostgres((given) => {
  client = given;
});

storeSuite(
  'A LeasedStore before a PostgresStore',
  async (clock) => {
    await client.query('DELETE FROM sluice');
    return new LeasedStore({
      busyFrom: 1,
      store: new PostgresStore({ client, clock, timeout: '10s' }),
      lease: '100ms',
    });
  },
  COUNTED_AHEAD,
  { describe, it },
);
