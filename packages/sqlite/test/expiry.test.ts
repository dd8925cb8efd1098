import { expect, it } from '@jest/globals';
import { fixedWindow, type Limit, type LimitCheck, slidingWindow, tokenBucket } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { until } from '@sluice/test-kit/until';
import { SqliteStore } from '../src/index.js';
import { sqliteDriver } from '../src/sqlite-driver.js';
import { newFile } from './database-folder.js';

const SHORT = fixedWindow({ limit: 5, window: '1m' });
const LONG = slidingWindow({ limit: 1_000_000, window: '1h' });

const checkOf = (key: string, limit: Limit): LimitCheck => ({ policy: 'p', name: 'n', key, limit, cost: 1 });

/** Opens a store and another connection to its file. */
async function opened() {
  const file = newFile();
  const store = closedAfterTest(new SqliteStore({ file, timeout: '10s' }));
  await store.ready();
  const database = closedAfterTest((await sqliteDriver())(file));
  const addOld = (rows: number): void => {
    const add = database.prepare("INSERT INTO sluice VALUES (?, 'v', '[]', 1)");
    for (let i = 0; i < rows; i += 1) add.run(`old-${i}`);
  };
  const rows = (where = 'true'): number =>
    Number((database.prepare(`SELECT count(*) AS n FROM sluice WHERE ${where}`).get() as { readonly n: number }).n);
  /** How long the rows are still kept, in milliseconds. */
  const leftMs = (): number =>
    Number((database.prepare('SELECT max(expires_at) AS n FROM sluice').get() as { readonly n: number }).n) -
    Date.now();
  return { store, addOld, rows, leftMs };
}

it('deletes only expired rows, in bounded batches, on request', async () => {
  const { store, addOld, rows } = await opened();
  await store.consume({ checks: [checkOf('ann', LONG)] });
  addOld(250);
  expect(await store.deleteExpired()).toBe(100);
  expect(await store.deleteExpired(1000)).toBe(150);
  expect(await store.deleteExpired()).toBe(0);
  expect(rows()).toBe(1);
  expect(() => store.deleteExpired(0)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'most' }));
});

it('deletes expired rows with decisions, batch after batch, without a timer', async () => {
  const { addOld, store, rows } = await opened();
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  addOld(250);
  const endMs = Date.now() + 5000;
  while (rows("key LIKE 'old-%'") > 0 && Date.now() < endMs) {
    await store.consume({ checks: [checkOf('ann', LONG)] });
    await new Promise(setImmediate);
  }
  expect(rows()).toBe(1);
  // The deadline of the last deletion may still have one.
  await until(() => timers() <= before);
});

it.each<[title: string, limit: Limit, least: number, most: number]>([
  // Of a sliding window the last units count for an hour and a sub-window.
  ['as long as it matters', LONG, 3_600_000, 7_620_000],
  // Ten of the store's timeouts are longer than a minute.
  ['for ten timeouts', SHORT, 90_000, 200_000],
])('keeps a row %s, and at most twice as long', async (_, limit, least, most) => {
  const { store, leftMs } = await opened();
  await store.consume({ checks: [checkOf('ann', limit)] });
  expect(leftMs()).toBeGreaterThanOrEqual(least);
  expect(leftMs()).toBeLessThanOrEqual(most);
});

it('seldom changes the end of a row, so that repeated decisions write no index', async () => {
  const { store, leftMs } = await opened();
  const ends = new Set<number>();
  for (let i = 0; i < 20; i += 1) {
    const beganMs = Date.now();
    await store.consume({ checks: [checkOf('ann', LONG)] });
    ends.add(Math.round((leftMs() + Date.now()) / 1000));
    while (Date.now() < beganMs + 2);
  }
  expect(ends.size).toBe(1);
});

it('shortens the end of a row whose bucket fills faster than before', async () => {
  const { store, leftMs } = await opened();
  await store.consume({ checks: [checkOf('ann', tokenBucket({ capacity: 5, refillRate: 0.0001 }))] });
  await store.consume({ checks: [checkOf('ann', tokenBucket({ capacity: 5, refillRate: 1 }))] });
  expect(leftMs()).toBeLessThan(1_800_000);
});

it('deletes the row of a key that is fresh again', async () => {
  const { store, rows } = await opened();
  const check = checkOf('ann', LONG);
  await store.consume({ checks: [check] });
  expect(rows()).toBe(1);
  await store.adjust({ checks: [{ ...check, cost: -1 }] });
  expect(rows()).toBe(0);
});
