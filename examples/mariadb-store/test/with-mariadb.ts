import { afterAll, beforeAll } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { MariadbServer } from '@sluice/test-kit/debian/mariadb-server';
import { createConnection, type Pool } from 'mysql2/promise';
import { createTable, mariadbPool } from '../src/mariadb-store.js';

/** Starts a server, and gives the tests of a file a pool whose database has the table. All end with the file. */
export function withMariadb(give: (pool: Pool, server: MariadbServer, uri: string) => unknown): void {
  let server: MariadbServer | undefined;
  let pool: Pool | undefined;
  debianProgram('mariadbd');

  beforeAll(async () => {
    server = await MariadbServer.start();
    const connection = await createConnection(server.uri());
    await connection.query('CREATE DATABASE limits');
    await connection.end();
    const uri = server.uri('limits');
    pool = mariadbPool(uri);
    await createTable(pool);
    await give(pool, server, uri);
  }, 180_000);

  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  });
}
