import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLimiter, slidingWindow } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { emittedWarnings, type Warning } from '@sluice/test-kit/emitted-warnings';
import { SqliteStore } from '../src/index.js';
import { sqliteDriver } from '../src/sqlite-driver.js';
import { newFile } from './database-folder.js';

const CHECK = {
  policy: 'p',
  name: 'n',
  key: 'ann',
  limit: slidingWindow({ limit: 9, window: '1h' }),
  cost: 1,
};

const storeOf = (file: string, table = 'sluice') => closedAfterTest(new SqliteStore({ file, table, timeout: '1s' }));

async function remaining(store: SqliteStore): Promise<number | undefined> {
  return (await store.consume({ checks: [CHECK] })).verdicts[0]?.remaining;
}

it('Limits outlive a restart', async () => {
  const file = newFile();
  const before = new SqliteStore({ file });
  expect(await remaining(before)).toBe(8);
  await before.close();
  expect(await remaining(storeOf(file))).toBe(7);
});

it('Stores of one file count together, and tables of one file apart', async () => {
  const file = newFile();
  expect(await remaining(storeOf(file))).toBe(8);
  expect(await remaining(storeOf(file))).toBe(7);
  expect(await remaining(storeOf(file, 'others'))).toBe(8);
});

it.each<[title: string, file: (file: string) => string | Promise<string>, says: string]>([
  ['in a folder that is missing', (file) => join(dirname(file), 'missing', 'limits.db'), 'create its folder'],
  ['that is a folder', (file) => dirname(file), 'create its folder'],
  [
    'that is no database',
    async (file) => {
      writeFileSync(file, 'This is a text.\n'.repeat(1000));
      return file;
    },
    'is not a database of SQLite',
  ],
  [
    'with another table of the name',
    async (file) => {
      const database = (await sqliteDriver())(file);
      database.exec('CREATE TABLE sluice (id INTEGER)');
      database.close();
      return file;
    },
    'a table of its own',
  ],
])('A file %s is an error that says what to do, and the store works once that is mended', async (_, make, says) => {
  const file = await make(newFile());
  const store = storeOf(file);
  await expect(store.ready()).rejects.toMatchObject({ code: 'SLUICE_STORE', message: expect.stringContaining(says) });
  if (says === 'create its folder' && !file.endsWith('limits.db')) return;
  rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  expect(await remaining(store)).toBe(8);
});

it.each<[title: string, act: (file: string) => unknown]>([
  ['deleted', (file) => rmSync(file)],
  ['moved away', (file) => renameSync(file, `${file}.old`)],
  [
    'replaced by another database',
    async (file) => {
      const database = (await sqliteDriver())(`${file}.new`);
      database.exec('CREATE TABLE others (id INTEGER)');
      database.close();
      renameSync(`${file}.new`, file);
    },
  ],
])(
  'A file that is %s is noticed within a second or so, by all stores, which then count together again',
  async (_, act) => {
    const file = newFile();
    const stores = [storeOf(file), storeOf(file)] as const;
    for (const store of stores) await remaining(store);
    await act(file);
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    const endMs = Date.now() + 5000;
    for (const store of stores) {
      while (!((await remaining(store).catch(() => 0)) ?? 0)) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(Date.now()).toBeLessThan(endMs);
    }
    // Each store looks once a second. Afterwards both have the new file.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await stores[0].reset([CHECK]);
    expect(await remaining(stores[0])).toBe(8);
    expect(await remaining(stores[1])).toBe(7);
  },
);

let warnings: readonly Warning[];

beforeEach(() => {
  warnings = emittedWarnings();
});
afterEach(() => {
  warnings = [];
});

it('Two rules of one name on one table are a mistake at once, by whatever path', async () => {
  const file = newFile();
  const rule = { name: 'login', limit: 3, window: '1m' } as const;
  createLimiter({ ...rule, store: storeOf(file) });
  expect(() => createLimiter({ ...rule, store: storeOf(join(dirname(file), '.', 'limits.db')) })).toThrow(
    'give one of the stores another table',
  );
  createLimiter({ ...rule, store: storeOf(file, 'others') });
  expect(warnings).toEqual([]);
});
