import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { SqliteStore } from '@sluice/sqlite';
import { examined } from './examined.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-'));
const file = join(folder, 'limits.db');

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('A file that is not there yet is not made', async () => {
  const { exitCode, levels, said } = await examined(`sqlite:${file}`);
  expect(exitCode).toBe(0);
  expect(levels).toMatchObject({ driver: 'ok', disk: 'ok', file: 'ok', decisions: 'ok' });
  expect(said('file')).toContain('does not exist yet');
  expect(said('decisions')).toContain('with a limit of 3: 3 admitted, 2 refused.');
  expect(readdirSync(folder)).toEqual([]);
});

it('A file of a store is looked into while the store is open', async () => {
  const store = new SqliteStore({ file });
  await store.ready();
  const before = readdirSync(folder);
  const { exitCode, levels, said } = await examined(`sqlite://${file}`);
  expect(exitCode).toBe(0);
  expect(levels).toMatchObject({ file: 'ok', journal: 'ok', decisions: 'ok' });
  expect(levels).not.toHaveProperty('tables');
  expect(said('journal')).toContain('It is WAL.');
  expect(readdirSync(folder)).toEqual(before);
  await store.close();
  expect((await examined(`sqlite:${file}`, '--table', 'limits')).said('tables')).toContain(
    'The file has other tables (1)',
  );
});

it.each([
  ['a folder that is missing', () => join(folder, 'none', 'limits.db'), 'mkdir -p'],
  ['a file that is no database', () => file, 'Give the store another file'],
])('A store cannot decide in %s', async (_, pathOf, said) => {
  writeFileSync(file, 'This is a letter to a friend, and by no means a database. '.repeat(50));
  const found = await examined(`sqlite:${pathOf()}`);
  expect(found).toMatchObject({ exitCode: 1, levels: { file: 'fail' } });
  expect(found.said('file')).toContain(said);
});
