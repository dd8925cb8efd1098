import { ManualClock } from '@sluice/core/testing';
import { race } from '@sluice/test-kit/race/racer';
import { Pool } from 'pg';
import { PostgresStore } from '../../src/index.js';

const [port] = process.argv.slice(2) as [port: string];
const client = new Pool({ host: '127.0.0.1', port: Number(port), user: 'sluice', database: 'postgres', max: 4 });
client.on('error', () => {});

client.query('SELECT 1').then(() =>
  race({
    // Time stands still, so no window can end during the race.
    store: new PostgresStore({ client, clock: new ManualClock(), timeout: '10s', attempts: 1000 }),
    enter: async () => Number((await client.query('UPDATE holders SET held = held + 1 RETURNING held')).rows[0]?.held),
    leave: () => client.query('UPDATE holders SET held = held - 1'),
    disconnect: () => client.end(),
  }),
);
