import { describe, expect, it } from '@jest/globals';
import { createLimiter, slidingWindow } from '@sluice/core';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { until } from '@sluice/test-kit/until';
import { Client, type Pool } from 'pg';
import { type PostgresClient, PostgresStore, type PostgresStoreOptions } from '../src/index.js';

let server: PostgresServer;
let pool: Pool;

withPostgres(async (...given) => {
  [pool, server] = given;
  await pool.query('CREATE USER reader; GRANT SELECT ON sluice TO reader');
});

const check = { policy: 'p', name: 'n', key: 'k', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 };

async function failureOf(options: PostgresStoreOptions): Promise<unknown> {
  const store = new PostgresStore({ timeout: '5s', ...options });
  return store.consume({ checks: [check] }).then(
    () => 'no failure',
    ({ code, message, cause }) => [code, message, (cause as { code?: string } | undefined)?.code],
  );
}

const tells = (text: RegExp, code?: string) => ['SLUICE_STORE', expect.stringMatching(text), code];

describe('An error says how to fix', () => {
  it('a missing table', async () => {
    expect(await failureOf({ client: pool, table: 'missing' })).toEqual(tells(/createTable\(\)/, '42P01'));
  });

  it('a missing schema', async () => {
    await expect(new PostgresStore({ client: pool, table: 'missing.sluice' }).createTable()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringMatching(/schema/),
    });
  });

  it('a missing permission', async () => {
    const client = server.pool({ user: 'reader' });
    expect(await failureOf({ client })).toEqual(tells(/GRANT/, '42501'));
    await expect(new PostgresStore({ client, table: 'other' }).createTable()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringMatching(/CREATE on the schema/),
    });
  });

  it('a read-only database', async () => {
    const client = server.pool({ options: '-c default_transaction_read_only=on' });
    expect(await failureOf({ client })).toEqual(tells(/replica/, '25006'));
  });

  it('a table with other columns', async () => {
    await pool.query('CREATE TABLE strange (key text)');
    expect(await failureOf({ client: pool, table: 'strange' })).toEqual(tells(/does not have the columns/, '42703'));
  });

  it('a missing database, and a missing user', async () => {
    expect(await failureOf({ client: server.pool({ database: 'missing' }) })).toEqual(
      tells(/database does not exist/, '3D000'),
    );
    expect(await failureOf({ client: server.pool({ user: 'missing' }) })).toEqual(tells(/user/, '28000'));
  });

  it('statements that a pooler has mixed up', async () => {
    const client = server.pool({ max: 1 });
    expect(await failureOf({ client })).toBe('no failure');
    const { rows } = await client.query('SELECT name FROM pg_prepared_statements');
    expect(rows).not.toEqual([]);
    await client.query('DEALLOCATE ALL');
    expect(await failureOf({ client })).toEqual(tells(/prepare: false/, '26000'));
    const other = server.pool({ max: 1 });
    for (const { name } of rows) await other.query(`PREPARE ${name} AS SELECT 1`);
    expect(await failureOf({ client: other })).toEqual(tells(/prepare: false/, '42P05'));
  });

  it('a setting that a pooler does not take', async () => {
    // As PgBouncer 1.18 says it.
    const refusal = Object.assign(new Error('unsupported startup parameter: statement_timeout'), { code: '08P01' });
    const client: PostgresClient = { query: () => Promise.reject(refusal) };
    expect(await failureOf({ client })).toEqual(tells(/statement_timeout/, '08P01'));
    // Waiting does not help.
    await expect(new PostgresStore({ client }).ready({ timeout: '1m' })).rejects.toMatchObject({ cause: refusal });
  });

  it('an ended pool', async () => {
    const client = server.pool();
    await client.end();
    expect(await failureOf({ client })).toEqual(tells(/was closed/));
  });
});

it('Stricter isolation levels cause conflicts, but no failed decisions', async () => {
  const client = server.pool({ options: '-c default_transaction_isolation=serializable' });
  const stores = Array.from({ length: 4 }, () => new PostgresStore({ client, timeout: '10s', attempts: 1000 }));
  const limit = slidingWindow({ limit: 50, window: '1h' });
  const checks = ['x', 'y'].map((name) => ({ ...check, name: `serializable ${name}`, limit }));
  const asked = stores.flatMap((store) => Array.from({ length: 25 }, () => store.consume({ checks })));
  expect((await Promise.all(asked)).filter(({ allowed }) => allowed)).toHaveLength(50);
});

it.each(['repeatable read', 'serializable'])(
  'A reset goes on when another transaction was faster: %s',
  async (level) => {
    const client = server.pool({ options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}` });
    const store = new PostgresStore({ client, timeout: '10s' });
    await store.consume({ checks: [check] });
    const other = await pool.connect();
    await other.query("BEGIN; UPDATE sluice SET value = '[]'");
    const reset = store.reset([check]);
    const waits = "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while ((await pool.query(waits)).rows[0].waiting === 0);
    await other.query('COMMIT');
    other.release();
    expect(await reset).toBe(1);
    expect(await store.deleteExpired()).toBe(0);
    await store.close();
  },
);

it('A reset fails with any other error', async () => {
  const client = server.pool({ user: 'reader' });
  await expect(new PostgresStore({ client, timeout: '10s' }).reset([check])).rejects.toMatchObject({
    cause: { code: '42501' },
  });
});

it('A single client works like a pool', async () => {
  const client = new Client(server.connection);
  await client.connect();
  const store = new PostgresStore({ client, timeout: '10s' });
  const limiter = createLimiter({ limit: 3, window: '1h', name: 'client', store });
  const answers = await Promise.all(Array.from({ length: 5 }, () => limiter.consume('ann')));
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(3);
  await client.end();
});

it('A pool without free connections is the reason in the error of a late decision', async () => {
  const client = server.pool({ max: 1 });
  const store = new PostgresStore({ client });
  expect(store.remote.trouble?.()).toBeUndefined();
  const connection = await client.connect();
  const asked = store.consume({ checks: [check] });
  await new Promise(setImmediate);
  expect(store.remote.trouble?.()).toBe(
    'all 1 connections of the pool are in use or connecting, and 1 queries wait for one',
  );
  connection.release();
  await asked;
});

it('An idle connection that breaks does not end the process, and the pool is not changed', async () => {
  const client = server.pool();
  client.removeAllListeners('error');
  const stores = [
    new PostgresStore({ client, timeout: '10s' }),
    new PostgresStore({ client, timeout: '10s' }),
  ] as const;
  await stores[0].consume({ checks: [check] });
  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle' AND pid <> pg_backend_pid()",
  );
  await until(() => client.totalCount === 0, 5);
  expect((await stores[0].consume({ checks: [check] })).verdicts).toHaveLength(1);
  await stores[0].close();
  await stores[0].close();
  expect(client.listenerCount('error')).toBe(1);
  await stores[1].close();
  expect(client.listenerCount('error')).toBe(0);
  client.on('error', () => {});
});

it.each([
  ['may not create tables', 'reader', ''],
  ['may, and does not own the table', 'maker', ''],
  ['may only read', 'sluice', '-c default_transaction_read_only=on'],
])('A table that is there needs no creating by a user who %s', async (_, user, options) => {
  if (user === 'maker') await pool.query('CREATE USER maker; GRANT CREATE ON SCHEMA public TO maker');
  const client = server.pool({ user, ...(options && { options }) });
  await expect(new PostgresStore({ client }).createTable()).resolves.toBeUndefined();
});

it('A table without an index gets one', async () => {
  await pool.query('CREATE TABLE bare (key text PRIMARY KEY, version text, value text, expires_at timestamptz)');
  await new PostgresStore({ client: pool, table: 'bare' }).createTable();
  const { rows } = await pool.query("SELECT indexname FROM pg_indexes WHERE tablename = 'bare' ORDER BY 1");
  expect(rows).toEqual([{ indexname: 'bare_expires_at' }, { indexname: 'bare_pkey' }]);
});

it('Instances that start together create the table once', async () => {
  const stores = Array.from(
    { length: 8 },
    () => new PostgresStore({ client: pool, table: 'together', timeout: '10s' }),
  );
  await Promise.all(stores.map((store) => store.createTable()));
  await stores[0]?.createTable({ unlogged: true });
  const { rows } = await pool.query("SELECT relpersistence FROM pg_class WHERE relname = 'together'");
  expect(rows).toEqual([{ relpersistence: 'p' }]);
  await new PostgresStore({ client: pool, table: 'fleeting' }).createTable({ unlogged: true });
  const fleeting = await pool.query("SELECT relpersistence FROM pg_class WHERE relname = 'fleeting'");
  expect(fleeting.rows).toEqual([{ relpersistence: 'u' }]);
});

it.each([
  [{ client: undefined }, 'client'],
  [{ client: {} }, 'client'],
  [{ timeout: 0 }, 'timeout'],
  [{ timeout: '3d' }, 'timeout'],
  [{ instances: 0 }, 'instances'],
  [{ attempts: 0 }, 'attempts'],
  [{ attempts: 1001 }, 'attempts'],
  [{ durable: 'yes' }, 'durable'],
  [{ prepare: 1 }, 'prepare'],
  [{ clock: {} }, 'clock'],
  [{ prefix: 'x' }, 'prefix'],
])('A wrong option is refused: %j', (own, path) => {
  const client: PostgresClient = { query: async () => ({ rows: [], rowCount: 0 }) };
  expect(() => new PostgresStore({ client, ...own } as never)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  );
});
