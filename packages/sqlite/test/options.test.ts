import { expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { type OpenSqlite, SqliteStore, type SqliteStoreOptions, type SqliteValue } from '../src/index.js';
import { sqliteDriver } from '../src/sqlite-driver.js';
import { newFile } from './database-folder.js';

const file = newFile();

it.each<[path: string, options: object]>([
  ['file', {}],
  ['file', { file: '' }],
  ['file', { file: ':memory:' }],
  ['file', { file: 'a\0b' }],
  ['file', { file: 7 }],
  ['table', { file, table: 'sluice; DROP TABLE sluice' }],
  ['table', { file, table: 'Sluice' }],
  ['table', { file, table: '1st' }],
  ['table', { file, table: '' }],
  ['table', { file, table: 'x'.repeat(51) }],
  ['durable', { file, durable: 'yes' }],
  ['open', { file, open: {} }],
  ['timeout', { file, timeout: 0 }],
  ['instances', { file, instances: 0 }],
  ['attempts', { file, attempts: 1001 }],
  ['name', { file, name: '' }],
  ['client', { file, client: {} }],
])('A wrong %s is an error at once: %j', (path, options) => {
  expect(() => new SqliteStore(options as unknown as SqliteStoreOptions)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  );
});

it.each(['_', 'x'.repeat(50), 'limits_2', 'limit', 'order'])('A table may be called %j', async (table) => {
  const store = new SqliteStore({ file, table });
  await store.ready();
  await store.close();
});

it('A database may return each number as a bigint', async () => {
  const openFile = await sqliteDriver();
  const asBigInts = (row: unknown): unknown =>
    row &&
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, Number.isInteger(value) ? BigInt(value) : value]),
    );
  const open: OpenSqlite = (path) => {
    const database = openFile(path);
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      return {
        get: (...values: SqliteValue[]) => asBigInts(statement.get(...values)),
        run: (...values: SqliteValue[]) => statement.run(...values),
      };
    };
    return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() };
  };
  const limiter = createLimiter({
    limit: 2,
    window: '1h',
    store: closedAfterTest(new SqliteStore({ file: newFile(), open, timeout: '5s' })),
  });
  const sources = [];
  for (let i = 0; i < 3; i += 1) sources.push(await limiter.consume('ann'));
  expect(sources.map(({ source, allowed }) => [source, allowed])).toEqual(
    [true, true, false].map((allowed) => ['store', allowed]),
  );
});

it('A package of the form of better-sqlite3 opens the file: it takes values in their order, for parameters without a number or a name', async () => {
  const openFile = await sqliteDriver();
  const statements: string[] = [];
  const open: OpenSqlite = (path) => {
    const database = openFile(path);
    const prepare = (sql: string) => {
      statements.push(sql);
      return database.prepare(sql);
    };
    return { exec: (sql) => database.exec(sql), prepare, close: () => database.close() };
  };
  const store = closedAfterTest(new SqliteStore({ file: newFile(), open }));
  await store.ready();
  await store.deleteExpired();
  expect(statements.join('\n')).toContain('?');
  expect(statements.filter((sql) => /\?\d|[:@$]\w/.test(sql))).toEqual([]);
});

it('rejects after it was closed', async () => {
  const store = new SqliteStore({ file });
  await store.close();
  await store.close();
  await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
  await expect(store.deleteExpired()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
});
