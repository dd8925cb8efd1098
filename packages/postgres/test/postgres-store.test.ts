import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let client: Pool;

withPostgres((given) => {
  client = given;
});

storeSuite(
  'PostgresStore',
  async (clock) => {
    await client.query('DELETE FROM sluice');
    return new PostgresStore({ client, clock, timeout: '10s' });
  },
  EVERYTHING,
  {
    describe,
    it,
    beside: (clock) => new PostgresStore({ client, clock, timeout: '10s' }),
    peeks: PEEKS_OF_SHARED_CODE,
  },
);

it(
  'decides as in memory, whatever happens, to the last bit',
  () => expectSameAsInMemory((clock) => new PostgresStore({ client, clock, timeout: '10s' }), 'postgres'),
  600_000,
);
