import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { raceSuite } from '@sluice/test-kit/race/race-suite';
import { sqliteDriver } from '../src/sqlite-driver.js';
import { newFile } from './database-folder.js';

const file = newFile();

beforeAll(async () => {
  const database = (await sqliteDriver())(file);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('CREATE TABLE holders AS SELECT 0 AS held');
  database.close();
});

// The program is one script outside of the repository, which has to find libsql from here.
raceSuite(join(__dirname, 'race/racer.ts'), () => [file, __filename]);
