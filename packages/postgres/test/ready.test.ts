import { describe, expect, it } from '@jest/globals';
import { SluiceError, slidingWindow } from '@sluice/core';
import { Keyspace } from '@sluice/core/store';
import { freePort } from '@sluice/test-kit/free-port';
import { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { readinessSuite } from '@sluice/test-kit/readiness-suite';
import { Pool } from 'pg';
import { type PostgresClient, PostgresStore } from '../src/index.js';
import { untilReachable } from '../src/readiness.js';

let server: PostgresServer;
let pool: Pool;

withPostgres(async (...given) => {
  [pool, server] = given;
  await pool.query('CREATE USER watcher; GRANT SELECT ON sluice TO watcher');
});

const check = { policy: 'p', name: 'n', key: 'k', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 };

readinessSuite('a PostgresStore', () => {
  const waiting: ((error: Error) => void)[] = [];
  const client: PostgresClient = { query: () => new Promise((_, reject) => waiting.push(reject)) };
  return {
    store: new PostgresStore({ client, timeout: '4s' }),
    release() {
      for (const reject of waiting) reject(new Error('the connection was closed'));
    },
  };
});

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

  it('is waited for while PostgreSQL cannot be reached yet, and then starts', async () => {
    const late = await PostgresServer.start();
    try {
      await new PostgresStore({ client: late.pool() }).createTable();
      await late.kill();
      const store = new PostgresStore({ client: late.pool() });
      const ready = store.ready({ timeout: '60s' });
      await late.run();
      await expect(ready).resolves.toBeUndefined();
      await store.close();
    } finally {
      await late.stop();
    }
  }, 120_000);

  it.each([
    ['is starting', '57P03', 'the database system is starting up'],
    ['is restarting', '57P01', 'terminating connection due to administrator command'],
    ['cannot be reached', 'ECONNREFUSED', ''],
    ['closes the connection', undefined, 'Connection terminated unexpectedly'],
  ])('is waited for while PostgreSQL %s', async (_, code, message) => {
    let failures = 3;
    const client: PostgresClient = {
      query: async (query) => {
        if (failures > 0) {
          failures -= 1;
          throw Object.assign(new Error(message), code && { code });
        }
        return pool.query(query);
      },
    };
    const store = new PostgresStore({ client });
    await expect(store.ready({ timeout: '60s' })).resolves.toBeUndefined();
    expect(failures).toBe(0);
    await store.close();
  });

  it.each([
    ['at a port where nothing listens', async () => ({ host: '127.0.0.1', port: await freePort() }), 'ECONNREFUSED'],
    ['at a socket that is missing', async () => ({ host: '/nowhere' }), 'ENOENT'],
  ])('is given up with the last error: %s', async (_, config, code) => {
    const client = new Pool(await config());
    await expect(new PostgresStore({ client }).ready({ timeout: 120 })).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringMatching(new RegExp(`^PostgreSQL did not answer within 120 ms: .*${code}`)),
      cause: { code },
    });
    await client.end();
  });

  it('is given up with the code of an error that has no message, and not waited for after an error of a statement', async () => {
    const failing = (error: object) =>
      new PostgresStore({ client: { query: () => Promise.reject(Object.assign(new Error(''), error)) } });
    await expect(failing({ code: 'ECONNREFUSED' }).ready({ timeout: 10 })).rejects.toMatchObject({
      message: expect.stringContaining('within 10 ms: ECONNREFUSED'),
    });
    await expect(failing({ code: '42601' }).ready({ timeout: '60s' })).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      cause: { code: '42601' },
    });
  });

  it('is given up after its own time, and not after that of a decision', async () => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN; LOCK TABLE sluice IN ACCESS EXCLUSIVE MODE');
      const store = new PostgresStore({ client: pool, timeout: 10 });
      const late = store.ready({ timeout: '100ms' });
      await expect(late).rejects.toMatchObject({ code: 'SLUICE_STORE' });
      const patient = store.ready({ timeout: '30s' });
      await client.query('COMMIT');
      await patient;
      await store.close();
    } finally {
      client.release();
    }
  });

  it('is waited for while a call takes longer than ten decisions may', async () => {
    const keyspace = new Keyspace({});
    let failures = 2;
    const attempt = async (): Promise<void> => {
      failures -= 1;
      if (failures >= 0) throw new SluiceError('SLUICE_STORE', 'late', { storeFailure: 'timeout' });
    };
    await expect(untilReachable({ keyspace, timeoutMs: 60_000, attempt })).resolves.toBeUndefined();
    failures = Number.POSITIVE_INFINITY;
    await expect(untilReachable({ keyspace, timeoutMs: 60, attempt })).rejects.toMatchObject({
      message: expect.stringContaining('within 60 ms: late'),
    });
  });

  it('does not wait for a connection of the pool that only tells who the server is', async () => {
    let queries = 0;
    const client: PostgresClient = {
      query(query) {
        queries += 1;
        return query.text.includes('pg_postmaster_start_time') ? new Promise(() => {}) : pool.query(query);
      },
    };
    const store = new PostgresStore({ client });
    await expect(store.ready()).resolves.toBeUndefined();
    expect(queries).toBeGreaterThan(1);
    await store.close();
  });

  it('is a mistake with a timeout that is none, and is closed after close()', async () => {
    const store = new PostgresStore({ client: pool });
    await expect(store.ready({ timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'timeout' });
    await store.close();
    await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});
