import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@sluice/test-kit/free-port';
import { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import type { Pool } from 'pg';
import { examined } from './examined.js';

let server: PostgresServer;
let pool: Pool;
const url = (user = 'sluice', database = 'postgres'): string =>
  `postgres://${user}:not-asked-for@127.0.0.1:${server.port}/${database}`;

beforeAll(async () => {
  server = await PostgresServer.start();
  pool = server.pool();
  // As it is by default since version 15.
  await pool.query('CREATE USER watcher; REVOKE CREATE ON SCHEMA public FROM PUBLIC');
}, 180_000);

afterAll(() => server.stop());

describe('a table that is missing', () => {
  const tables = async () => (await pool.query("SELECT * FROM pg_tables WHERE schemaname !~ '^pg_|^info'")).rows;

  const rows = async () => (await pool.query('SELECT count(*)::int AS rows FROM sluice')).rows;

  it('is not created, the commands that create it are right, and nothing stays in it', async () => {
    const before = await examined(url());
    expect(before).toMatchObject({ exitCode: 0, levels: { table: 'warn', decisions: 'ok' } });
    expect(before.finding('latency')?.figures).toMatchObject({ bareP50Ms: expect.any(Number) });
    expect(before.said('decisions')).toContain('in a temporary table');
    expect(await tables()).toEqual([]);
    const [, creation = ''] = /or run (CREATE TABLE .*)/.exec(before.said('table')) ?? [];
    await pool.query(creation);
    const after = await examined(url());
    expect(after).toMatchObject({ exitCode: 0, levels: { role: 'ok', table: 'ok', decisions: 'ok', clock: 'ok' } });
    expect(after.said('decisions')).toContain('in the table sluice, with a limit of 3: 3 admitted, 2 refused.');
    expect(await rows()).toEqual([{ rows: 0 }]);
    expect(after.levels).toMatchObject({ durability: 'warn', connections: 'ok' });
    expect(after.said('durability')).toContain('Set fsync = on.');
    expect(after.finding('connections')?.figures).toMatchObject({ maxConnections: 200 });
    expect(after.text).not.toContain('not-asked-for');
  });

  it('has what its schema lacks named', async () => {
    const { exitCode, said } = await examined(url(), '--table', 'limits.sluice');
    expect(exitCode).toBe(1);
    expect(said('table')).toContain('CREATE SCHEMA limits; CREATE TABLE limits.sluice (');
    expect((await examined(url('watcher'), '--table', 'other')).said('table')).toContain('GRANT SELECT, INSERT');
  });
});

describe('a PostgreSQL that cannot decide', () => {
  it('gives its user the statement that grants what is missing', async () => {
    await pool.query('GRANT SELECT ON sluice TO watcher');
    const before = await examined(url('watcher'));
    expect(before).toMatchObject({ exitCode: 1, levels: { table: 'fail' } });
    const [, grant = ''] = /Run (GRANT .*)\./.exec(before.said('table')) ?? [];
    await pool.query(grant);
    expect(await examined(url('watcher'))).toMatchObject({ exitCode: 0, levels: { table: 'ok', decisions: 'ok' } });
  });

  it.each([
    ['has another table of this name', async () => examined(url(), '--table', 'alien'), 'table', 'it lacks columns'],
    ['has no such database', async () => examined(url('sluice', 'none')), 'reachable', 'Create the database'],
    [
      'is not there',
      async () => examined(`postgres://127.0.0.1:${await freePort()}/postgres`),
      'reachable',
      'Start the server',
    ],
  ])('%s', async (_, examine, check, said) => {
    await pool.query('CREATE TABLE IF NOT EXISTS alien (key text)');
    const found = await examine();
    expect(found).toMatchObject({ exitCode: 1, levels: { [check]: 'fail' } });
    expect(found.said(check)).toContain(said);
  });

  it('is read-only for this user', async () => {
    await pool.query('CREATE USER reader; ALTER USER reader SET default_transaction_read_only = on');
    expect(await examined(url('reader'))).toMatchObject({ exitCode: 1, levels: { role: 'fail' } });
  });

  it('hangs', async () => {
    server.freeze();
    const startMs = performance.now();
    const { exitCode, said } = await examined(url(), '--timeout', '300');
    server.thaw();
    expect(exitCode).toBe(1);
    expect(said('reachable')).toContain('See whether the server hangs');
    expect(performance.now() - startMs).toBeLessThan(4000);
  });
});
