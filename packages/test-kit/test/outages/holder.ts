import { createRequire } from 'node:module';
import { openFrom } from '../../../sqlite/test/race/open-from.js';

// Holds the lock of a file of SQLite until it is ended.
const database = openFrom(createRequire(`${process.cwd()}/`))(process.argv[2] as string);
database.exec('PRAGMA busy_timeout = 10000');
database.exec('BEGIN IMMEDIATE');
process.send?.('held');
setInterval(() => {}, 1000);
