import { beforeEach, expect, it } from '@jest/globals';
import { fixedWindow, type Limit, type LimitCheck, slidingWindow, tokenBucket } from '@sluice/core';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { until } from '@sluice/test-kit/until';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

let client: Pool;
let store: PostgresStore;

withPostgres((given) => {
  client = given;
});

beforeEach(async () => {
  await client.query('DROP TABLE IF EXISTS sluice');
  store = new PostgresStore({ client, timeout: '10s' });
  await store.createTable();
});

const SHORT = fixedWindow({ limit: 5, window: '1m' });
const LONG = slidingWindow({ limit: 100, window: '1h' });

const checkOf = (key: string, limit: Limit): LimitCheck => ({ policy: 'p', name: 'n', key, limit, cost: 1 });

async function countOf(where = 'true'): Promise<number> {
  const { rows } = await client.query(`SELECT count(*) FROM sluice WHERE ${where}`);
  return Number(rows[0].count);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('deletes only expired rows, in bounded batches, on request', async () => {
  await client.query(
    "INSERT INTO sluice SELECT 'old-' || i, 'v', '[]', now() - interval '1 ms' FROM generate_series(1, 2500) AS i",
  );
  await client.query(
    "INSERT INTO sluice SELECT 'new-' || i, 'v', '[]', now() + interval '1 hour' FROM generate_series(1, 10) AS i",
  );
  expect(await store.deleteExpired()).toBe(1000);
  expect(await store.deleteExpired(2000)).toBe(1500);
  expect(await store.deleteExpired()).toBe(0);
  expect(await countOf()).toBe(10);
  expect(() => store.deleteExpired(0)).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'most' }));
});

it('deletes expired rows during decisions, batch after batch, without a timer', async () => {
  /** Without those of the pool, which has one for each connection that is idle. */
  const timers = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length - client.idleCount;
  await client.query(
    "INSERT INTO sluice SELECT 'old-' || i, 'v', '[]', now() - interval '1 ms' FROM generate_series(1, 2500) AS i",
  );
  for (let i = 0; i < 100 && (await countOf("key LIKE 'old-%'")) > 0; i += 1) {
    await store.consume({ checks: [checkOf('ann', LONG)] });
    await sleep(5);
  }
  expect(await countOf()).toBe(1);
  const before = timers();
  await store.consume({ checks: [checkOf('ann', LONG)] });
  // The deadline of a call may still have one.
  await until(() => timers() <= before);
});

it('keeps a row as long as it matters and for ten timeouts, and at most twice as long', async () => {
  await store.consume({ checks: [checkOf('ann', LONG), checkOf('bob', SHORT)] });
  // Of a sliding window the last units count for an hour and a sub-window.
  expect(await countOf("expires_at BETWEEN now() + interval '1 hour' AND now() + interval '2 hours 7 minutes'")).toBe(
    1,
  );
  // Ten of the store's timeouts are longer than a minute.
  expect(await countOf("expires_at BETWEEN now() + interval '90 seconds' AND now() + interval '200 seconds'")).toBe(1);
});

it('seldom changes the end of a row, so that repeated decisions stay cheap', async () => {
  const ends = new Set<string>();
  for (let i = 0; i < 20; i += 1) {
    await store.consume({ checks: [checkOf('ann', LONG)] });
    const { rows } = await client.query('SELECT expires_at::text AS ends FROM sluice');
    ends.add(rows[0].ends);
    await sleep(2);
  }
  expect(ends.size).toBe(1);
});

it('keeps a row whose window has become shorter as long as the longer one needs it', async () => {
  await store.consume({ checks: [checkOf('ann', slidingWindow({ limit: 5, window: '30d' }))] });
  await store.consume({ checks: [checkOf('ann', slidingWindow({ limit: 5, window: '1m' }))] });
  expect(await countOf("expires_at > now() + interval '29 days'")).toBe(1);
});

it('shortens the end of a row whose bucket fills faster than before', async () => {
  await store.consume({ checks: [checkOf('ann', tokenBucket({ capacity: 5, refillRate: 0.0001 }))] });
  await store.consume({ checks: [checkOf('ann', tokenBucket({ capacity: 5, refillRate: 1 }))] });
  expect(await countOf("expires_at < now() + interval '30 minutes'")).toBe(1);
});

it('deletes the row of a key that is fresh again', async () => {
  const check = checkOf('ann', LONG);
  await store.consume({ checks: [check] });
  expect(await countOf()).toBe(1);
  await store.adjust({ checks: [{ ...check, cost: -1 }] });
  expect(await countOf()).toBe(0);
  await store.consume({ checks: [check, checkOf('bob', LONG)] });
  await store.adjust({ checks: [check, checkOf('bob', LONG)].map((one) => ({ ...one, cost: -1 })) });
  expect(await countOf()).toBe(0);
});
