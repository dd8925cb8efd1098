import { describe, expect, it } from '@jest/globals';
import { concurrency, createLimiter, type LimitCheck, slidingWindow, slidingWindowLog } from '@sluice/core';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool } from 'pg';
import { PostgresStore } from '../src/index.js';

const LIMIT = slidingWindow({ limit: 9, window: '1h' });

/** Texts that end a string, a statement or a comment where they are not values but SQL, and such as PostgreSQL cannot keep. */
const HOSTILE = [
  "'; DROP TABLE sluice; --",
  "' OR '1'='1",
  '$1); DELETE FROM sluice; --',
  '"; DROP TABLE "sluice',
  '\\',
  '\\x00',
  '/* */',
  '{a,b}',
  'NULL',
  'null',
  '\u0000',
  '\ud800',
  '\udfff',
  '💧',
  'ß',
  'ẞ',
  'A',
  'a',
  ' a',
  'a ',
  '',
  '%00',
  'x'.repeat(249),
  'x'.repeat(250),
  'x'.repeat(1_000_000),
  `${'x'.repeat(1_000_000)}y`,
  '💧'.repeat(3000),
] as const;

let client: Pool;
let store: PostgresStore;

withPostgres((given) => {
  client = given;
  store = new PostgresStore({ client, timeout: '10s' });
});

const checkOf = (own: Partial<LimitCheck>): LimitCheck => ({
  policy: 'p',
  name: 'n',
  key: 'k',
  limit: LIMIT,
  cost: 1,
  ...own,
});

describe('Any text in a key, a name or a policy', () => {
  it('has its own key, together with others or alone', async () => {
    const checks = HOSTILE.flatMap((text) => [
      checkOf({ key: text }),
      checkOf({ name: text }),
      checkOf({ policy: text }),
    ]);
    const together = await store.consume({ checks });
    expect(new Set(together.verdicts.map(({ remaining }) => remaining))).toEqual(new Set([8]));
    for (const check of checks) {
      expect((await store.consume({ checks: [check] })).verdicts[0]?.remaining).toBe(7);
    }
    expect(await store.reset(checks)).toBe(checks.length);
    expect(await store.reset(checks)).toBe(0);
  });

  it('is stored under at most 250 plain characters', async () => {
    await store.consume({ checks: HOSTILE.map((text) => checkOf({ key: text })) });
    const { rows } = await client.query('SELECT key FROM sluice');
    expect(rows.length).toBeGreaterThanOrEqual(HOSTILE.length);
    expect(rows.filter(({ key }) => !/^[\w.~@%:#-]{1,250}$/.test(key))).toEqual([]);
  });
});

it.each(HOSTILE)('An id with any text is remembered: %j', async (id) => {
  const check = checkOf({ name: `ids ${id}` });
  const first = await store.consume({ checks: [check], id, holdMs: 60_000 });
  expect(await store.consume({ checks: [check], id, holdMs: 60_000 })).toMatchObject(first);
  const refund = { ...check, cost: -1 };
  expect((await store.adjust({ checks: [refund], id })).result).toBe('applied');
  expect((await store.adjust({ checks: [refund], id })).result).toBe('repeated');
  if (id === '') return;
  const slot = checkOf({ name: `slots ${id}`, limit: concurrency({ limit: 2, lease: '1h' }) });
  expect((await store.consume({ checks: [slot], id })).verdicts[0]?.remaining).toBe(1);
  expect((await store.consume({ checks: [slot], id, peek: true })).allowed).toBe(true);
  expect((await store.adjust({ checks: [{ ...slot, cost: -1 }], id: `${id} of another` })).result).toBe('expired');
  expect((await store.adjust({ checks: [{ ...slot, cost: -1 }], id })).result).toBe('repeated');
});

it.each([
  'sluice; DROP TABLE sluice',
  '"sluice"',
  'a.b.c',
  'a.',
  '.a',
  '',
  'Sluice',
  'sl uice',
  'ß',
  'x'.repeat(51),
  '1st',
  null,
  7,
])('A table cannot be called %j', (table) => {
  expect(() => new PostgresStore({ client, table: table as string })).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path: 'table' }),
  );
});

it.each(['order', 'user', '_', 'x'.repeat(50), 'select.table'])('A table may be called %j', async (table) => {
  if (table.includes('.')) await client.query('CREATE SCHEMA "select"');
  const own = new PostgresStore({ client, table, timeout: '10s' });
  await own.createTable();
  await own.createTable();
  const limiter = createLimiter({ limit: 5, window: '1m', store: own });
  expect((await limiter.consume('ann')).tightest.remaining).toBe(4);
  expect(await limiter.reset('ann')).toBe(true);
});

it('A log of the largest limit is kept, with every entry', async () => {
  const check = checkOf({ name: 'log', limit: slidingWindowLog({ limit: 10_000, window: '1h' }) });
  // A time for each of them, as they come in over a while.
  const clock = { nowMs: 1_800_000_000_000, now: () => clock.nowMs, sleep: async () => {} };
  const own = new PostgresStore({ client, clock, timeout: '10s' });
  for (let i = 0; i < 10; i += 1) {
    const asked: Promise<unknown>[] = [];
    for (let j = 0; j < 100; j += 1) {
      clock.nowMs += 1;
      asked.push(own.consume({ checks: [{ ...check, cost: 10 }] }));
    }
    await Promise.all(asked);
  }
  expect((await own.consume({ checks: [check], peek: true })).verdicts[0]?.used).toBe(10_000);
  expect((await own.consume({ checks: [check] })).allowed).toBe(false);
});
