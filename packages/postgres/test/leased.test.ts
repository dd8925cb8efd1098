import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { LeasedStore } from '@sluice/core';
import { storeSuite } from '@sluice/core/testing';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';
import { PostgresServer } from './postgres-server.js';

let server: PostgresServer;
let client: Pool;

beforeAll(async () => {
  server = await PostgresServer.start();
  client = server.pool();
  await new PostgresStore({ client }).createTable();
}, 60_000);

afterAll(() => server?.stop(), 60_000);

storeSuite(
  'A LeasedStore before a PostgresStore',
  async (clock) => {
    await client.query('DELETE FROM sluice');
    return new LeasedStore({ store: new PostgresStore({ client, clock, timeout: '10s' }), lease: '100ms' });
  },
  { describe, it },
);
