import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryStore, slidingWindow } from '@sluice/core';
import { storeSuite } from '@sluice/core/testing';
import { Cluster, Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { RedisStore, type RedisStoreOptions } from '../src/index.js';
import { RedisServer } from './redis-server.js';

/** What PTTL says of a key that lives for ever. */
const ENDLESS = -1;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

describe.each([
  ['6', (port: number): Redis => new Redis(port)],
  // The two versions share what is used here, but not their types.
  ['5', (port: number): Redis => new Redis5(port) as unknown as Redis],
])('over ioredis %s', (_, connect) => {
  let client: Redis;

  beforeAll(() => {
    client = connect(server.port);
  });

  afterAll(() => client.quit());

  /** What the keys were for that the tests have left: `sw`, `ask` and so on. */
  const kinds = new Set<string | undefined>();

  afterEach(async () => {
    const names: string[] = [];
    for await (const batch of client.scanStream({ count: 1000 })) names.push(...(batch as string[]));
    const lives = await Promise.all(names.map((name) => client.pttl(name)));
    expect(names.filter((_name, i) => lives[i] === ENDLESS)).toEqual([]);
    for (const name of names) kinds.add(name.split(':')[2]);
  });

  storeSuite(
    'RedisStore',
    async (clock) => {
      await client.flushall();
      return new RedisStore({ client, clock });
    },
    { describe, it },
  );

  it('holds no answer for no time', async () => {
    const store = new RedisStore({ client });
    const limit = slidingWindow({ limit: 5, window: '1h' });
    const ask = { checks: [{ policy: 'p', name: 'n', key: 'held', limit, cost: 1 }], id: 'a', holdMs: 0 };
    await store.consume(ask);
    expect((await store.consume(ask)).verdicts[0]?.remaining).toBe(3);
  });

  it('brings its script anew to a server that has forgotten it, also for many callers at once', async () => {
    const store = new RedisStore({ client });
    const ask = {
      checks: [{ policy: 'p', name: 'n', key: 'k', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 }],
    };
    await client.flushall();
    await store.consume(ask);
    await client.script('FLUSH');
    const replies = await Promise.all(Array.from({ length: 20 }, () => store.consume(ask)));
    expect(replies.filter(({ allowed }) => allowed)).toHaveLength(4);
  });

  it('counts by the server’s own time when no clock is passed', async () => {
    const store = new RedisStore({ client });
    const { atMs } = await store.consume({ checks: [], look: true });
    const [seconds] = await client.time();
    expect(Math.abs(atMs - Number(seconds) * 1000)).toBeLessThan(5000);
  });

  it('understands a client that tells numbers as text', async () => {
    const textual = client.duplicate({ stringNumbers: true });
    const store = new RedisStore({ client: textual });
    const checks = [{ policy: 'p', name: 'n', key: 'text', limit: slidingWindow({ limit: 2, window: '1h' }), cost: 1 }];
    await store.reset(checks);
    const replies = [await store.consume({ checks }), await store.consume({ checks }), await store.consume({ checks })];
    expect(replies.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(replies[2]).toMatchObject({ atMs: expect.any(Number), verdicts: [{ remaining: 0 }] });
    expect((await store.adjust({ checks: checks.map((check) => ({ ...check, cost: -1 })) })).result).toBe('applied');
    await textual.quit();
  });

  it('does not quit a client that the user made', async () => {
    await new RedisStore({ client }).close();
    await expect(client.ping()).resolves.toBe('PONG');
  });

  it('has left keys of every kind, none of them without a time to live', () => {
    expect([...kinds].sort()).toEqual(['ask', 'cc', 'change', 'fw', 'lb', 'sc', 'sl', 'sw', 'tb']);
  });
});

describe('the options of a RedisStore', () => {
  const client = { status: 'ready', isCluster: false, call: async () => [] };

  it.each<[unknown, string]>([
    [{}, 'client'],
    [{ client: 'redis://localhost' }, 'client'],
    [{ client, prefix: 'a{b}' }, 'prefix'],
    [{ client, timeout: 0 }, 'timeout'],
    [{ client, instances: 0 }, 'instances'],
    [{ client, hashTag: 'user' }, 'hashTag'],
    [{ client, clock: { now: () => 0 } }, 'clock'],
    [{ client, url: 'redis://localhost' }, 'url'],
    [{ client: { ...client, isCluster: true, options: { keyPrefix: 'app{' } } }, 'client'],
    [{ client: { ...client, isCluster: true, options: { keyPrefix: 'app{}' } } }, 'client'],
  ])('refuse %j', (options, path) => {
    expect(() => new RedisStore(options as RedisStoreOptions)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path }),
    );
  });

  it.each([
    [false, 'app{'],
    [true, 'app:'],
    [true, '{app}'],
  ])('take a client (of a cluster: %j) that puts %j before every key', (isCluster, keyPrefix) => {
    expect(() => new RedisStore({ client: { ...client, isCluster, options: { keyPrefix } } })).not.toThrow();
  });

  it('say of a MemoryStore that it is no client', () => {
    expect(() => new RedisStore({ client: new MemoryStore() as never })).toThrow('new Redis(url)');
  });
});

it('takes the clients of both ioredis versions by their types', () => {
  const options: RedisStoreOptions[] = [
    { client: new Redis({ lazyConnect: true }) },
    { client: new Redis5({ lazyConnect: true }) },
    { client: new Cluster([], { lazyConnect: true }) },
  ];
  expect(options.map((own) => new RedisStore(own).supports.atomicAcrossKeys)).toEqual([true, true, false]);
});
