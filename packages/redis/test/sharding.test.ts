import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { createLimiter, type Limiter, slidingWindow } from '@sluice/core';
import { ShardedStore } from '@sluice/core/distributed';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { PEEKS_OF_SHARED_CODE, SEVERAL_SERVERS } from '@sluice/test-kit/store-claims';
import { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

const NAMES = ['a', 'b', 'c'] as const;
const USERS = Array.from({ length: 60 }, (_, i) => `user-${i}`);
const TWO = slidingWindow({ limit: 2, window: '1h' });

let servers: RedisServer[];
let clients: Redis[];

beforeAll(async () => {
  servers = await RedisServer.startAll(NAMES.length);
  clients = servers.map(({ port }) => new Redis({ port, retryStrategy: () => 50, maxRetriesPerRequest: null }));
  for (const client of clients) client.on('error', () => {});
}, 180_000);

afterAll(async () => {
  for (const client of clients) client.disconnect();
  await Promise.all(servers.map((server) => server.stop()));
});

beforeEach(() => Promise.all(clients.map((client) => client.flushall())));

storeSuite(
  'ShardedStore over three Redis servers',
  (clock) =>
    new ShardedStore({
      nodes: Object.fromEntries(
        NAMES.map((name, i) => [name, new RedisStore({ client: clients[i] as Redis, clock, timeout: '5s' })]),
      ),
    }),
  SEVERAL_SERVERS,
  { describe, it, peeks: PEEKS_OF_SHARED_CODE },
);

describe('C4: several Redis nodes by consistent hashing', () => {
  let store: ShardedStore;
  let limiter: Limiter<string, true>;

  const shardedOver = (names: readonly string[]): ShardedStore =>
    new ShardedStore({
      nodes: Object.fromEntries(
        names.map((name) => [
          name,
          new RedisStore({ client: clients[NAMES.indexOf(name as 'a')] as Redis, timeout: '500ms' }),
        ]),
      ),
    });
  const keyCounts = (): Promise<number[]> => Promise.all(clients.map((client) => client.dbsize()));

  beforeEach(() => {
    store = shardedOver(NAMES);
    limiter = createLimiter<string, true>({ limit: TWO, store });
  });

  afterEach(() => store.close());

  it('counts each user on one of the nodes, exactly', async () => {
    const decisions = await Promise.all(
      USERS.flatMap((user) => [user, user, user]).map((user) => limiter.consume(user)),
    );
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(2 * USERS.length);
    const counts = await keyCounts();
    expect(counts.reduce((sum, count) => sum + count)).toBe(USERS.length);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('loses only the users of a dead node, and has them back with it', async () => {
    await Promise.all(USERS.map((user) => limiter.consume(user)));
    const [dead] = servers as [RedisServer];
    await dead.kill();
    const during = await Promise.all(USERS.map((user) => limiter.consume(user)));
    await dead.run();
    const [lost] = await keyCounts();
    const local = during.filter(({ source }) => source === 'local').length;
    expect(lost).toBe(0);
    expect(local).toBeGreaterThan(0);
    expect(local).toBeLessThan(USERS.length);
    // Those on the other nodes have spent their two.
    const after = await Promise.all(USERS.map((user) => limiter.peek(user)));
    const exhausted = after.filter(({ allowed, source }) => !allowed && source === 'store').length;
    expect(exhausted).toBe(USERS.length - local);
    const backMs = performance.now();
    const isBack = async () =>
      (await Promise.all(USERS.map((user) => limiter.peek(user)))).every(({ source }) => source === 'store');
    // Four probes a second, of which a slow machine may miss some.
    while (!(await isBack())) expect(performance.now() - backMs).toBeLessThan(10_000);
  }, 120_000);

  it('refuses two nodes that are one client and prefix', () => {
    const [client] = clients as [Redis];
    const nodes = { a: new RedisStore({ client }), b: new RedisStore({ client, timeout: '1s' }) };
    expect(() => new ShardedStore({ nodes })).toThrow(
      'nodes.b counts in the same place as nodes.a, this Redis client and the prefix "sluice:"',
    );
  });

  it('moves only the share of a new node', async () => {
    await store.close();
    const two = shardedOver(['a', 'b']);
    const before = createLimiter<string, true>({ limit: TWO, store: two });
    await Promise.all(USERS.map((user) => before.consume(user, { cost: 2 })));
    await two.close();
    store = shardedOver(NAMES);
    limiter = createLimiter<string, true>({ limit: TWO, store });
    const [, , none] = await keyCounts();
    const decisions = await Promise.all(USERS.map((user) => limiter.consume(user)));
    const [, , moved] = await keyCounts();
    expect(none).toBe(0);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(moved as number);
    expect(moved).toBeGreaterThan(0);
    expect(moved).toBeLessThan(USERS.length / 2);
  });
});
