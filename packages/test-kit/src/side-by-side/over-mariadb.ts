import { createConnection, type Pool } from 'mysql2/promise';
import { createTable, mariadbPool, mariadbStore } from '../../../../examples/mariadb-store/src/mariadb-store.js';
import type { MariadbServer } from '../debian/mariadb-server.js';
import { type Contender, contenderOf, timeout } from './contender.js';

/** The worked example of a backend for `compareAndSwapStore`. */
export async function overMariadb(server: MariadbServer): Promise<Contender[]> {
  const connection = await createConnection(server.uri());
  await connection.query('CREATE DATABASE limits');
  await connection.end();
  const pool = mariadbPool(server.uri('limits'));
  await createTable(pool);
  const end = async (): Promise<void> => {
    await pool.end();
    await server.stop();
  };
  return [
    contenderOf('`compareAndSwapStore` over MariaDB', mariadbStore(pool, { timeout })),
    await bareRows(pool, end),
  ];
}

async function bareRows(pool: Pool, end: () => unknown): Promise<Contender> {
  await pool.query('CREATE TABLE bare (k VARCHAR(100) PRIMARY KEY, n INT)');
  return {
    name: 'a read and a write',
    async ask(key) {
      await pool.execute('SELECT n FROM bare WHERE k = ?', [key]);
      await pool.execute('INSERT INTO bare VALUES (?, 1) ON DUPLICATE KEY UPDATE n = n + 1', [key]);
    },
    end,
  };
}
