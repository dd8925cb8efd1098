import { createRequire } from 'node:module';
import { ManualClock } from '@sluice/core/testing';
import { race } from '@sluice/test-kit/race/racer';
import { SqliteStore } from '../../src/index.js';
import { openFrom } from './open-from.js';

const [file, source] = process.argv.slice(2) as [file: string, source: string];
const open = openFrom(createRequire(source));

const holders = open(file);
holders.exec('PRAGMA busy_timeout = 10000');
const change = holders.prepare('UPDATE holders SET held = held + ? RETURNING held');
const held = (difference: number): number => (change.get(difference) as { readonly held: number }).held;

// Time stands still, so no window can end during the race.
const store = new SqliteStore({ file, clock: new ManualClock(), timeout: '10s', attempts: 1000, open });

store.ready().then(() =>
  race({
    store,
    enter: async () => held(1),
    leave: async () => held(-1),
    disconnect: () => {
      holders.close();
      return store.close();
    },
  }),
);
