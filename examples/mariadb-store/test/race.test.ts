import { join } from 'node:path';
import { raceSuite } from '@sluice/test-kit/race/race-suite';
import { withMariadb } from './with-mariadb.js';

let address: string;

withMariadb(async (pool, _server, uri) => {
  address = uri;
  await pool.query('CREATE TABLE holders AS SELECT 0 AS held');
});

raceSuite(join(__dirname, 'race/racer.ts'), () => [address]);
