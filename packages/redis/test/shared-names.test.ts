import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { emittedWarnings, type Warning } from '@sluice/test-kit/emitted-warnings';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

let server: RedisServer;
let warnings: readonly Warning[];
const cleaners: (() => unknown)[] = [];

beforeAll(async () => {
  server = await RedisServer.start([]);
});
afterAll(() => server.stop());
beforeEach(() => {
  warnings = emittedWarnings();
});
afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

/** Makes a store with a client of its own, which knows its server. */
async function knownStore({ db = 0, prefix = 'sluice:' } = {}): Promise<RedisStore> {
  const client = new Redis(server.port, { db });
  const store = new RedisStore({ client, prefix, timeout: '1s' });
  cleaners.push(
    () => client.disconnect(),
    () => store.close(),
  );
  await store.ready();
  return store;
}

const rule = (name = 'login') => ({ name, limit: 3, window: '1m' }) as const;
const codes = () => warnings.map(({ code }) => code);

it('Two rules of one name on two clients of one server share a counter, with one warning', async () => {
  const [first, second, third] = [await knownStore(), await knownStore(), await knownStore()];
  const limiters = [first, second, third].map((store) => createLimiter({ ...rule(), store }));
  expect(codes()).toEqual(['SLUICE_NAME_SHARED']);
  expect(warnings[0]?.message).toMatch(/give one of the policies another name, or [^.]*prefix/);
  for (const limiter of limiters) await limiter.consume('ann');
  expect((await limiters[0]?.consume('ann'))?.allowed).toBe(false);
});

it('The warning also comes if the server becomes known after the limiters were made', async () => {
  const [one, other] = [new Redis(server.port), new Redis(server.port)];
  const stores = [one, other].map((client) => new RedisStore({ client, timeout: '1s' }));
  cleaners.push(
    () => [one, other].map((client) => client.disconnect()),
    () => Promise.all(stores.map((store) => store.close())),
  );
  for (const store of stores) createLimiter({ ...rule(), store });
  expect(codes()).toEqual([]);
  await Promise.all(stores.map((store) => store.ready()));
  expect(codes()).toEqual(['SLUICE_NAME_SHARED']);
});

it.each([
  ['another name', {}, 'other'],
  ['another prefix', { prefix: 'other:' }, 'login'],
  ['another database of the server', { db: 1 }, 'login'],
])('There is no warning about %s', async (_, options, name) => {
  createLimiter({ ...rule(), store: await knownStore() });
  createLimiter({ ...rule(name), store: await knownStore(options) });
  expect(codes()).toEqual([]);
});

it('There is no warning about a limiter that is made again by its owner, or after its store was closed', async () => {
  const owner = {};
  const before = await knownStore();
  createLimiter({ ...rule(), store: before }, owner);
  createLimiter({ ...rule(), store: await knownStore() }, owner);
  createLimiter({ ...rule('signup'), store: before });
  await before.close();
  createLimiter({ ...rule('signup'), store: await knownStore() });
  expect(codes()).toEqual([]);
});
