import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import { SqliteStore } from '../src/index.js';
import { type SqliteDatabase, sqliteDriver } from '../src/sqlite-driver.js';
import { newFile } from './database-folder.js';

const file = newFile();
/** Empties the table. As long as it is open, no store that is closed has to bring the file up to date. */
let emptying: SqliteDatabase;

beforeAll(async () => {
  const store = new SqliteStore({ file });
  await store.ready();
  await store.close();
  emptying = (await sqliteDriver())(file);
  emptying.exec('PRAGMA synchronous = OFF');
});

afterAll(() => {
  emptying.close();
});

storeSuite(
  'SqliteStore',
  async (clock) => {
    emptying.exec('DELETE FROM sluice');
    return new SqliteStore({ file, clock, timeout: '10s' });
  },
  EVERYTHING,
  {
    describe,
    it,
    beside: (clock) => new SqliteStore({ file, clock, timeout: '10s' }),
    peeks: PEEKS_OF_SHARED_CODE,
  },
);

it('decides as in memory, whatever happens, to the last bit', async () => {
  const own = newFile();
  await expectSameAsInMemory((clock) => new SqliteStore({ file: own, clock, timeout: '10s' }), 'sqlite');
}, 600_000);
