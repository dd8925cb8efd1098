import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
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
