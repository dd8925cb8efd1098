import { describe, expect, it } from '@jest/globals';
import { slidingWindow } from '@sluice/core';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let server: PostgresServer;
let pool: Pool;

withPostgres(async (...given) => {
  [pool, server] = given;
  await pool.query('CREATE USER watcher; GRANT SELECT ON sluice TO watcher');
});

const check = { policy: 'p', name: 'n', key: 'k', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 };

describe('A store that is ready', () => {
  it('has decided about a trial, and has left nothing of it', async () => {
    const store = new PostgresStore({ client: pool });
    await store.ready();
    expect((await pool.query('SELECT count(*)::int AS rows FROM sluice')).rows).toEqual([{ rows: 0 }]);
    await store.close();
  });

  it('has prepared the statements of the first decision', async () => {
    const client = server.pool({ max: 1 });
    const store = new PostgresStore({ client });
    const prepared = async () => (await client.query('SELECT name FROM pg_prepared_statements ORDER BY name')).rows;
    await store.ready();
    const names = await prepared();
    expect(names.length).toBeGreaterThan(0);
    await store.consume({ checks: [check] });
    expect(await prepared()).toEqual(names);
    await store.close();
  });

  it.each([
    ['a table that is missing', () => new PostgresStore({ client: pool, table: 'missing' }), /createTable\(\)/],
    ['a user that may not write', () => new PostgresStore({ client: server.pool({ user: 'watcher' }) }), /GRANT/],
  ])('is not there with %s', async (_, newStore, message) => {
    await expect(newStore().ready()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringMatching(message),
    });
  });

  it('is given up after its own time, and not after that of a decision', async () => {
    const client = await pool.connect();
    await client.query('BEGIN; LOCK TABLE sluice IN ACCESS EXCLUSIVE MODE');
    const store = new PostgresStore({ client: pool, timeout: 10 });
    const late = store.ready({ timeout: '100ms' });
    await expect(late).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    const patient = store.ready({ timeout: '30s' });
    await client.query('COMMIT');
    await patient;
    client.release();
    await store.close();
  });

  it('is a mistake with a timeout that is none, and is closed after close()', async () => {
    const store = new PostgresStore({ client: pool });
    await expect(store.ready({ timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'timeout' });
    await store.close();
    await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});
