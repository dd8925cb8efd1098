import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { LeasedStore } from '@sluice/core/distributed';
import { emittedWarnings, type Warning } from '@sluice/test-kit/emitted-warnings';
import type { PostgresServer } from '@sluice/test-kit/postgres/postgres-server';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { PostgresStore } from '../src/index.js';

let server: PostgresServer;
let warnings: readonly Warning[];
const stores: PostgresStore[] = [];

withPostgres(async (client, started) => {
  server = started;
  await client.query('CREATE DATABASE another');
});

beforeEach(async () => {
  warnings = emittedWarnings();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

/** Makes a store with a pool of its own, as a second part of a program does. */
function newStore({ table = 'sluice', database = 'postgres' } = {}): PostgresStore {
  const store = new PostgresStore({ client: server.pool({ database }), table, timeout: '5s' });
  stores.push(store);
  return store;
}

const rule = { name: 'login', limit: 3, window: '1m' } as const;
const codes = () => warnings.map(({ code }) => code);

it.each<[when: string, know: (store: PostgresStore) => Promise<void>]>([
  ['ready()', (store) => store.ready()],
  ['createTable()', (store) => store.createTable()],
])('Two rules of one name on two pools of one table share a counter, with one warning after %s', async (_, know) => {
  const [first, second, third] = [newStore(), newStore(), newStore()];
  const leased = new LeasedStore({ store: third });
  const limiters = [first, second, leased].map((store) => createLimiter({ ...rule, store }));
  expect(codes()).toEqual([]);
  for (const store of [first, second, third]) await know(store);
  expect(codes()).toEqual(['SLUICE_NAME_SHARED']);
  expect(warnings[0]?.message).toContain('give one of the stores another table');
  await limiters[0]?.reset('ann');
  for (let i = 0; i < 3; i += 1) await limiters[i % 2]?.consume('ann');
  expect((await limiters[0]?.consume('ann'))?.allowed).toBe(false);
});

it.each([
  ['another table', { table: 'others' }],
  ['another database of the server', { database: 'another' }],
])('There is no warning about %s', async (_, own) => {
  for (const store of [newStore(), newStore(own)]) {
    await store.createTable();
    await store.ready();
    createLimiter({ ...rule, store });
  }
  expect(codes()).toEqual([]);
});

it('There is no warning about a limiter that is made again by its owner, on a pool of its own', async () => {
  const owner = {};
  for (const store of [newStore(), newStore()]) {
    await store.ready();
    createLimiter({ ...rule, store }, owner);
  }
  expect(codes()).toEqual([]);
});
