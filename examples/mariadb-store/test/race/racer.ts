import { ManualClock } from '@sluice/core/testing';
import { race } from '@sluice/test-kit/race/racer';
import type { RowDataPacket } from 'mysql2/promise';
import { mariadbPool, mariadbStore } from '../../src/mariadb-store.js';

const [uri] = process.argv.slice(2) as [uri: string];
const pool = mariadbPool(uri);

pool.query('SELECT 1').then(() =>
  race({
    // Time stands still, so no window can end during the race.
    store: mariadbStore(pool, { clock: new ManualClock(), timeout: '10s', attempts: 1000 }),
    enter: async () => {
      await pool.query('UPDATE holders SET held = held + 1');
      const [[row]] = await pool.query<RowDataPacket[]>('SELECT held FROM holders');
      return Number(row?.held);
    },
    leave: () => pool.query('UPDATE holders SET held = held - 1'),
    disconnect: () => pool.end(),
  }),
);
