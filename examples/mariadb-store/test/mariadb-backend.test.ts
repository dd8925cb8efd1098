import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { MariadbServer } from '@sluice/test-kit/debian/mariadb-server';
import { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { until } from '@sluice/test-kit/until';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { MariadbBackend } from '../src/mariadb-backend.js';
import { createTable, mariadbPool, mariadbStore } from '../src/mariadb-store.js';
import { withMariadb } from './with-mariadb.js';

let pool: Pool;
let server: MariadbServer;
let uri: string;
let backend: MariadbBackend;

withMariadb((...given) => {
  [pool, server, uri] = given;
  backend = new MariadbBackend(pool, 5000);
});

beforeEach(() => pool.query('DELETE FROM sluice'));

const entry = (version: string) => ({ version, value: '[1]', forMs: 60_000 });

async function versionsOf(...keys: string[]): Promise<(string | undefined)[]> {
  return (await backend.read(keys)).entries.map((found) => found?.version);
}

describe('A swap', () => {
  it('makes all changes, or none', async () => {
    expect(await backend.swap([{ key: 'b', was: undefined, next: entry('1') }], undefined)).toBe(true);
    const added = { key: 'a', was: undefined, next: entry('2') };
    expect(await backend.swap([added, { key: 'b', was: 'other', next: entry('3') }], undefined)).toBe(false);
    expect(await backend.swap([added, { key: 'b', was: undefined, next: entry('3') }], undefined)).toBe(false);
    expect(await backend.swap([added, { key: 'b', was: 'other', next: undefined }], undefined)).toBe(false);
    expect(await versionsOf('a', 'b', 'c')).toEqual([undefined, '1', undefined]);
    expect(await backend.swap([added, { key: 'b', was: '1', next: undefined }], undefined)).toBe(true);
    expect(await versionsOf('a', 'b')).toEqual(['2', undefined]);
  });

  it('is not made after its time by the clock of the server', async () => {
    const { atMs = 0 } = await backend.read([]);
    const added = [{ key: 'a', was: undefined, next: entry('1') }];
    expect(await backend.swap(added, atMs - 1)).toBe(false);
    expect(await versionsOf('a')).toEqual([undefined]);
    expect(await backend.swap(added, atMs + 60_000)).toBe(true);
  });

  it('that waits for a row until its time is over is not made', async () => {
    await backend.swap([{ key: 'a', was: undefined, next: entry('1') }], undefined);
    const other = await pool.getConnection();
    await other.beginTransaction();
    await other.query("UPDATE sluice SET value = '[2]' WHERE entry_key = 'a'");
    const { atMs = 0 } = await backend.read(['a']);
    const swapped = backend.swap([{ key: 'a', was: '1', next: entry('2') }], atMs + 50);
    await backend.swap([{ key: 'b', was: undefined, next: entry('3') }], undefined);
    for (let nowMs = atMs; nowMs <= atMs + 50; ) ({ atMs: nowMs = 0 } = await backend.read([]));
    await other.commit();
    other.release();
    expect(await swapped).toBe(false);
    expect(await versionsOf('a', 'b')).toEqual(['1', '3']);
  });

  it('deletes some of the rows that have ended, and no others', async () => {
    await pool.query("INSERT INTO sluice VALUES ('old', '1', '[1]', 5), ('new', '2', '[1]', 5000000000000)");
    const fresh = new MariadbBackend(pool, 5000);
    await fresh.swap([{ key: 'a', was: undefined, next: entry('1') }], undefined);
    let names: string[] = ['old'];
    while (names.includes('old')) {
      const [rows] = await pool.query<RowDataPacket[]>('SELECT entry_key FROM sluice ORDER BY entry_key');
      names = rows.map((row) => row.entry_key);
    }
    expect(names).toEqual(['a', 'new']);
  });
});

describe('While the server is frozen', () => {
  afterEach(() => server.thaw());

  it('a decision ends at its deadline, and later ones count on when it goes on', async () => {
    const store = mariadbStore(pool, { timeout: '100ms' });
    const limiter = createLimiter({ limit: 2, window: '1h', store, onStoreError: 'deny' });
    const sourceOf = async (key: string): Promise<string> => (await limiter.consume(key)).source;
    while ((await sourceOf('ann')) !== 'store');
    server.freeze();
    expect(await sourceOf('ben')).toBe('deny');
    server.thaw();
    while ((await sourceOf('cid')) !== 'store');
    const answers = [await limiter.consume('dan'), await limiter.consume('dan'), await limiter.consume('dan')];
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    await store.close();
  }, 60_000);
});

it('A text stays a text, whatever the mode of the server', async () => {
  const admin = await pool.getConnection();
  await admin.query("SET GLOBAL sql_mode = 'NO_BACKSLASH_ESCAPES'");
  const own = mariadbPool(uri);
  const limiter = createLimiter({ limit: 1, window: '1h', store: mariadbStore(own, { timeout: '5s' }) });
  const reason = `it's "so" \\ so`;
  await limiter.block('ann', '1h', { reason });
  expect((await limiter.blocked()).entries).toMatchObject([{ reason }]);
  await own.end();
  await admin.query('SET GLOBAL sql_mode = DEFAULT');
  admin.release();
});

it('The time goes on through the hour that a local clock shows twice', async () => {
  const clock = new MovableClock();
  const inBerlin = await MariadbServer.start({ ...clock.env, TZ: 'Europe/Berlin' });
  const own = mariadbPool(inBerlin.uri());
  try {
    await own.query('CREATE DATABASE limits');
    const withTable = mariadbPool(inBerlin.uri('limits'));
    await createTable(withTable);
    for (const time of ['00:30', '00:59', '01:00', '01:30']) {
      const atMs = Date.parse(`2026-10-25T${time}:00Z`);
      clock.standAt(atMs);
      expect(await new MariadbBackend(withTable, 5000).read([])).toMatchObject({ atMs });
    }
    await withTable.end();
  } finally {
    await own.end();
    await inBerlin.stop();
    clock.remove();
  }
}, 60_000);

it('A connection whose answer never comes is given up, and others are opened in its place', async () => {
  const sockets: Socket[] = [];
  const { port } = new URL(uri);
  const proxy = createServer((from) => {
    const to = connect(Number(port), '127.0.0.1');
    for (const socket of [from, to]) sockets.push(socket.on('error', () => {}));
    from.pipe(to).pipe(from);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const throughProxy = mariadbPool(uri.replace(port, `${(proxy.address() as AddressInfo).port}`));
  const own = new MariadbBackend(throughProxy, 200);
  const reads = () => Promise.allSettled(Array.from({ length: 5 }, () => own.read(['a'])));
  expect((await reads()).map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
  for (const socket of sockets) socket.unpipe().pause();
  expect((await reads()).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  await until(async () => (await reads()).every(({ status }) => status === 'fulfilled'), 10);
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await throughProxy.end();
}, 60_000);
