import { afterAll, beforeAll } from '@jest/globals';
import { PostgresStore } from '@sluice/postgres';
import type { Pool } from 'pg';
import { PostgresServer } from './postgres-server.js';

/** Long enough for a slow machine to start a server. */
const TIMEOUT_MS = 180_000;

/** Starts a server that has the table of the store, for the tests of a file, and gives them a pool of it. Both end with the file. */
export function withPostgres(give: (client: Pool, server: PostgresServer) => unknown): void {
  let server: PostgresServer | undefined;

  beforeAll(async () => {
    server = await PostgresServer.start();
    const client = server.pool();
    await new PostgresStore({ client }).createTable();
    await give(client, server);
  }, TIMEOUT_MS);

  afterAll(() => server?.stop(), TIMEOUT_MS);
}
