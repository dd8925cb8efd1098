import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow, type LimitCheck, slidingWindow } from '@sluice/core';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import type { Pool, PoolConfig } from 'pg';
import { type PostgresClient, PostgresStore, type Query } from '../src/index.js';

let pool: Pool;
let server: PostgresServer;
let store: PostgresStore;
let queries: Query[];
/** Runs before the next query that its first word is given for. */
let before: { word: string; run: () => Promise<unknown> } | undefined;

/** A pool that tells what it is asked. */
const client: PostgresClient = {
  async query(query) {
    queries.push(query);
    const { word, run } = before ?? {};
    if (word && run && query.text.startsWith(word)) {
      before = undefined;
      await run();
    }
    return pool.query(query);
  },
};

withPostgres((...given) => {
  [pool, server] = given;
});

beforeEach(async () => {
  queries = [];
  before = undefined;
  await pool.query('DROP TABLE IF EXISTS sluice');
  await new PostgresStore({ client: pool, timeout: '10s' }).createTable();
  store = new PostgresStore({ client, timeout: '5s' });
});

const LIMIT = slidingWindow({ limit: 100, window: '1h' });

const checkOf = (key: string, own: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'p',
  name: 'n',
  key,
  limit: LIMIT,
  cost: 1,
  ...own,
});

/** What the queries were, but for those that delete what has expired. */
const words = (): string[] =>
  queries.filter(({ text }) => !text.includes('SKIP LOCKED')).map(({ text }) => text.split(' ', 1)[0] as string);

describe('A decision', () => {
  it.each([
    ['on a new key', [checkOf('ann')], ['SELECT', 'INSERT']],
    ['on several new keys', ['ann', 'bob', 'cid'].map((key) => checkOf(key)), ['SELECT', 'WITH']],
    ['that spends nothing', [checkOf('ann', { cost: 0 })], ['SELECT']],
    ['that is refused', [checkOf('ann', { cost: 101 })], ['SELECT']],
  ])('%s is one read, and at most one write', async (_, checks, expected) => {
    await store.consume({ checks });
    expect(words()).toEqual(expected);
  });

  it('on an existing key is one read and one write', async () => {
    await store.consume({ checks: [checkOf('ann')] });
    await store.consume({ checks: [checkOf('ann')] });
    expect(words()).toEqual(['SELECT', 'INSERT', 'SELECT', 'UPDATE']);
  });

  it('that gives everything back deletes the row', async () => {
    await store.consume({ checks: [checkOf('ann')] });
    await store.adjust({ checks: [checkOf('ann', { cost: -1 })] });
    expect(words()).toEqual(['SELECT', 'INSERT', 'SELECT', 'DELETE']);
  });

  it('is prepared once on each connection, unless it must not be', async () => {
    await store.consume({ checks: [checkOf('ann')] });
    expect(queries.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^sluice_read_[0-9a-f]{12}$/),
      expect.stringMatching(/^sluice_add_[0-9a-f]{12}$/),
      expect.stringMatching(/^sluice_expire_[0-9a-f]{12}$/),
    ]);
    queries = [];
    await new PostgresStore({ client, prepare: false, timeout: '10s' }).consume({ checks: [checkOf('bob')] });
    expect(queries.map(({ name }) => name)).toEqual([undefined, undefined, undefined]);
  });
});

it.each<[what: string, config: object]>([
  ['rounds numbers', { options: '-c extra_float_digits=-15' }],
  ['gets numbers as bytes', { binary: true }],
  ['reads nothing but texts', { types: { getTypeParser: () => (value: string | Buffer) => value } }],
])('A decision has the time of the server, and is made once, where the client %s', async (_, config) => {
  const own = new PostgresStore({ client: server.pool(config as PoolConfig), timeout: '10s' });
  await own.createTable();
  const several = { checks: [checkOf('ann'), checkOf('bob')] };
  const beganMs = Date.now();
  for (const used of [1, 2]) {
    const { atMs, verdicts } = await own.consume(several);
    expect(atMs).toBeGreaterThanOrEqual(beganMs);
    expect(atMs).toBeLessThan(beganMs + 60_000);
    expect(verdicts.map((verdict) => verdict.used)).toEqual([used, used]);
  }
  const targets = [checkOf('cid')];
  await own.blocks.block({ targets, forMs: 60_000 });
  expect(await own.blocks.unblock(targets)).toBe(true);
  await own.close();
});

it('A thousand simultaneous decisions about one key share their reads and writes', async () => {
  const replies = await Promise.all(Array.from({ length: 1000 }, () => store.consume({ checks: [checkOf('ann')] })));
  expect(replies.filter(({ allowed }) => allowed)).toHaveLength(100);
  expect(words().length).toBeLessThan(30);
});

describe('A decision with a conflict', () => {
  const other = () => new PostgresStore({ client: pool, timeout: '5s' });

  it.each([
    ['on a key that is new', async () => {}, 'INSERT'],
    ['on a key that is there', () => other().consume({ checks: [checkOf('ann')] }), 'UPDATE'],
  ])('%s is made again', async (_, prepare, word) => {
    await prepare();
    const held = await other().consume({ checks: [checkOf('ann')], peek: true });
    before = { word, run: () => other().consume({ checks: [checkOf('ann', { cost: 50 })] }) };
    const { verdicts } = await store.consume({ checks: [checkOf('ann')] });
    expect(verdicts[0]?.remaining).toBe((held.verdicts[0]?.remaining ?? 0) - 51);
  });

  it('on several keys has changed none of them, whichever key had the conflict', async () => {
    const keys = ['a', 'b', 'c', 'd'];
    const checks = keys.map((key) => checkOf(key));
    for (const there of [[], ['a'], ['b', 'd'], keys]) {
      for (const taken of [['a'], ['d'], ['b', 'c'], keys]) {
        await pool.query('TRUNCATE sluice');
        for (const key of there) await other().consume({ checks: [checkOf(key)] });
        let seen: unknown[] = [];
        before = {
          word: 'WITH',
          run: async () => {
            for (const key of taken) await other().consume({ checks: [checkOf(key, { cost: 10 })] });
            // Asked before the second read, after the write that has failed.
            before = {
              word: 'SELECT',
              run: async () => {
                seen = (await other().consume({ checks, peek: true })).verdicts.map(({ used }) => used);
              },
            };
          },
        };
        const used = keys.map((key) => Number(there.includes(key)) + (taken.includes(key) ? 10 : 0));
        const { verdicts } = await store.consume({ checks });
        expect(seen).toEqual(used);
        expect(verdicts.map((verdict) => verdict.used)).toEqual(used.map((units) => units + 1));
      }
    }
  });

  it('by a reset is made again on a fresh key', async () => {
    await other().consume({ checks: [checkOf('ann', { cost: 90 })] });
    before = { word: 'UPDATE', run: () => other().reset([checkOf('ann')]) };
    expect((await store.consume({ checks: [checkOf('ann')] })).verdicts[0]?.remaining).toBe(99);
  });

  it('too often fails, and has spent nothing', async () => {
    const hasty = new PostgresStore({ client, attempts: 3, timeout: '10s' });
    await other().consume({ checks: [checkOf('ann')] });
    const overtake = () => {
      before = {
        word: 'UPDATE',
        run: async () => {
          await other().consume({ checks: [checkOf('ann')] });
          overtake();
        },
      };
    };
    overtake();
    await expect(hasty.consume({ checks: [checkOf('ann')] })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    before = undefined;
    expect((await other().consume({ checks: [checkOf('ann')], peek: true })).verdicts[0]?.used).toBe(4);
  });
});

it.each([
  ['INSERT', [checkOf('new')]],
  ['UPDATE', [checkOf('old')]],
  ['WITH', [checkOf('new'), checkOf('old')]],
])('A write (%s) that comes after its deadline charges nothing', async (word, checks) => {
  await store.consume({ checks: [checkOf('old')] });
  const { atMs } = await store.consume({ checks: [], peek: true });
  before = { word, run: () => new Promise((resolve) => setTimeout(resolve, 150)) };
  const late = store.consume({ checks, notAfterMs: atMs + 100 });
  await expect(late).rejects.toMatchObject({ code: 'SLUICE_STORE', atMs: expect.any(Number) });
  const { verdicts } = await store.consume({ checks: [checkOf('new'), checkOf('old')], peek: true });
  expect(verdicts.map(({ used }) => used)).toEqual([0, 1]);
});

it('Time is that of the server', async () => {
  const serverMs = async (): Promise<number> => {
    const { rows } = await pool.query('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS ms');
    return Number(rows[0].ms);
  };
  const beforeMs = await serverMs();
  const { atMs } = await store.consume({ checks: [checkOf('ann')] });
  expect(atMs).toBeGreaterThanOrEqual(beforeMs);
  expect(atMs).toBeLessThanOrEqual(await serverMs());
  expect(Number.isInteger(atMs)).toBe(true);
});

it('Rows that are damaged count as absent', async () => {
  const limit = fixedWindow({ limit: 5, window: '1h' });
  for (const value of ['[1]', '[1,0,-1]', '[1,0,-1,"a",2,3]', '[2,0,-1,1,2,3]', '[1,0,-1,1,2,3,4]']) {
    await pool.query('TRUNCATE sluice');
    await pool.query("INSERT INTO sluice VALUES ('fixed-window:p:n:ann', 'v', $1, now() + interval '1 hour')", [value]);
    const { verdicts } = await store.consume({ checks: [checkOf('ann', { limit })] });
    expect([value, verdicts[0]?.remaining]).toEqual([value, 4]);
  }
});

it('Rows in a form of a newer version are not overwritten', async () => {
  const check = checkOf('ann', { limit: fixedWindow({ limit: 5, window: '1h' }) });
  await pool.query('TRUNCATE sluice');
  await pool.query("INSERT INTO sluice VALUES ('fixed-window:p:n:ann', 'v', '[9,1]', now() + interval '1 hour')");
  await expect(store.consume({ checks: [check] })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
  await expect(store.blocks.block({ targets: [check], forMs: 1000 })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
  const { rows } = await pool.query('SELECT version, value FROM sluice');
  expect(rows).toEqual([{ version: 'v', value: '[9,1]' }]);
});

it('A limiter over it decides as over any store', async () => {
  const limiter = createLimiter({ limit: 2, window: '1h', store });
  const answers = [];
  for (let i = 0; i < 3; i += 1) answers.push((await limiter.consume('ann')).allowed);
  expect(answers).toEqual([true, true, false]);
});
