import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import type { Pool } from 'mysql2/promise';
import { mariadbStore } from '../src/mariadb-store.js';
import { withMariadb } from './with-mariadb.js';

let pool: Pool;

withMariadb((given) => {
  pool = given;
});

storeSuite(
  'A store in MariaDB',
  async (clock) => {
    await pool.query('DELETE FROM sluice');
    return mariadbStore(pool, { clock, timeout: '10s' });
  },
  EVERYTHING,
  {
    describe,
    it,
    beside: (clock) => mariadbStore(pool, { clock, timeout: '10s' }),
    // The stores of packages are played with peeks as well in CI. This one has the same kernels.
    peeks: process.env.SLUICE_SUITES === 'full',
  },
);

it(
  'decides as in memory, whatever happens, to the last bit',
  () => expectSameAsInMemory((clock) => mariadbStore(pool, { clock, timeout: '10s' }), 'mariadb'),
  600_000,
);
