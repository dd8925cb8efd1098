import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { withPartOfVectors } from '@sluice/test-kit/part-of-vectors';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import type { Pool } from 'mysql2/promise';
import { mariadbStore } from '../src/mariadb-store.js';
import { withMariadb } from './with-mariadb.js';

const IS_FULL = process.env.SLUICE_SUITES === 'full';

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
    // It counts by the code of the store over a Map, which plays all vectors in CI.
    ...(IS_FULL ? { describe, it } : withPartOfVectors({ index: 0, of: 4 })),
    beside: (clock) => mariadbStore(pool, { clock, timeout: '10s' }),
    peeks: IS_FULL,
  },
);

it(
  'decides as in memory, whatever happens, to the last bit',
  () => expectSameAsInMemory((clock) => mariadbStore(pool, { clock, timeout: '10s' }), 'mariadb'),
  600_000,
);
