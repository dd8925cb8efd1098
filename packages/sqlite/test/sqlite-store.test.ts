import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import { SqliteStore } from '../src/index.js';
import { newFile } from './database-folder.js';

let file: string;

storeSuite(
  'SqliteStore',
  async (clock) => {
    file = newFile();
    return new SqliteStore({ file, clock, timeout: '10s' });
  },
  EVERYTHING,
  { describe, it },
  (clock) => new SqliteStore({ file, clock, timeout: '10s' }),
);

it('decides as in memory, whatever happens, to the last bit', async () => {
  const own = newFile();
  await expectSameAsInMemory((clock) => new SqliteStore({ file: own, clock, timeout: '10s' }), 'sqlite');
}, 600_000);
