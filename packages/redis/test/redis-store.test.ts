import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { createLimiter, MemoryStore, type PolicyOptions, type Store, slidingWindow } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { EVERYTHING } from '@sluice/test-kit/store-claims';
import { Cluster, Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { RedisStore, type RedisStoreOptions } from '../src/index.js';
import { clientOver } from './client-over.js';

/** What PTTL says of a key that lives for ever. */
const ENDLESS = -1;

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.stop());

describe.each([
  ['6', (at: RedisServer['nearest']): Redis => new Redis(at)],
  // The two versions share what is used here, but not their types.
  ['5', (at: RedisServer['nearest']): Redis => new Redis5(at) as unknown as Redis],
])('over ioredis %s', (version, connect) => {
  // Over version 5 it runs beside those over the other clients.
  const hasSuite = version === '6';
  let client: Redis;

  beforeAll(() => {
    client = connect(server.nearest);
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

  if (hasSuite) {
    storeSuite(
      'RedisStore',
      async (clock) => {
        await client.flushall();
        return new RedisStore({ client, clock, timeout: '10s' });
      },
      EVERYTHING,
      { describe, it, beside: (clock) => new RedisStore({ client, clock, timeout: '10s' }) },
    );
  }

  describe('Two stores on one client', () => {
    const limited = { name: 'api', limit: 5, window: '1m' } as const;

    it.each<[string, Partial<RedisStoreOptions>, Partial<RedisStoreOptions>]>([
      ['prefix', { prefix: 'a:' }, { prefix: 'b:' }],
      ['hash tag', { hashTag: 'subject' }, { hashTag: 'policy' }],
    ])('can have policies with one name if each has its own %s', async (_what, own, others) => {
      const [one, other] = [new RedisStore({ client, ...own }), new RedisStore({ client, ...others })];
      const limiters = [one, other].map((store) => createLimiter({ ...limited, store }));
      const remaining = await Promise.all(
        limiters.map(async (limiter) => (await limiter.consume('ann')).tightest.remaining),
      );
      expect(remaining).toEqual([4, 4]);
      await Promise.all([one.close(), other.close()]);
    });

    it('report how to rename two policies with one name', async () => {
      const [one, other] = [new RedisStore({ client }), new RedisStore({ client, timeout: '1s' })];
      createLimiter({ ...limited, store: one });
      expect(() => createLimiter({ ...limited, store: other })).toThrow(
        expect.objectContaining({
          code: 'SLUICE_DUPLICATE_NAME',
          path: 'name',
          received: 'api',
          message:
            'another store with this Redis client and the prefix "sluice:" already has a policy named "api", and the two ' +
            'would share their counters: give one of the policies another name, give one of the stores another prefix, ' +
            'or close() the unused store (SLUICE_DUPLICATE_NAME)',
        }),
      );
      await one.close();
      createLimiter({ ...limited, store: other });
      await other.close();
    });

    it.each<[string, (store: RedisStore) => Store<true>]>([
      ['leased', (store) => new LeasedStore({ busyFrom: 1, store })],
      ['synced', (store) => new SyncedStore({ busyFrom: 1, store })],
      ['sharded', (store) => new ShardedStore({ nodes: { store } })],
    ])('are also distinguished behind a %s store', async (_form, before) => {
      const [plain, fronted] = [new RedisStore({ client }), before(new RedisStore({ client }))];
      createLimiter({ ...limited, store: fronted });
      const duplicate = expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' });
      expect(() => createLimiter({ ...limited, store: plain })).toThrow(duplicate);
      expect(() => createLimiter({ ...limited, store: before(plain) })).toThrow(duplicate);
      await fronted.close();
      createLimiter({ ...limited, store: plain });
      await plain.close();
    });

    it('also count together in this process if they have one options object and Redis is unreachable', async () => {
      const gone = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false });
      const stores = [new RedisStore({ client: gone }), new RedisStore({ client: gone })];
      const options: PolicyOptions<[string], true> = { ...limited };
      const limiters = stores.map((store) => createLimiter<string, true>(Object.assign(options, { store })));
      let admitted = 0;
      for (const limiter of [...limiters, ...limiters]) {
        for (let i = 0; i < 4; i += 1) if ((await limiter.consume('ann')).allowed) admitted += 1;
      }
      expect(admitted).toBe(5);
      await Promise.all(stores.map((store) => store.close()));
      gone.disconnect();
    });
  });

  it('holds no reply for 0 ms', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    const limit = slidingWindow({ limit: 5, window: '1h' });
    const ask = { checks: [{ policy: 'p', name: 'n', key: 'held', limit, cost: 1 }], id: 'a', holdMs: 0 };
    await store.consume(ask);
    expect((await store.consume(ask)).verdicts[0]?.remaining).toBe(3);
  });

  it('sends its script again to a server that has forgotten it, also for many simultaneous callers', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    const ask = {
      checks: [{ policy: 'p', name: 'n', key: 'k', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 }],
    };
    await client.flushall();
    await store.consume(ask);
    await client.script('FLUSH');
    const replies = await Promise.all(Array.from({ length: 20 }, () => store.consume(ask)));
    expect(replies.filter(({ allowed }) => allowed)).toHaveLength(4);
  });

  it('does not send a call again that failed for another reason: it may have been made', async () => {
    const commands: string[] = [];
    const failing = clientOver(client, async (command, args, send) => {
      commands.push(command);
      if (command === 'EVALSHA') throw new Error('Connection is closed.');
      return send(command, args);
    });
    const store = new RedisStore({ client: failing });
    const checks = [{ policy: 'p', name: 'n', key: 'once', limit: slidingWindow({ limit: 5, window: '1h' }), cost: 1 }];
    await store.consume({ checks });
    await expect(store.consume({ checks })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
    expect(commands.filter((command) => command.startsWith('EVAL'))).toEqual(['EVAL', 'EVALSHA']);
  });

  it('counts by the server’s own time if no clock is passed', async () => {
    const store = new RedisStore({ client, timeout: '10s' });
    const serverMs = async (): Promise<number> => {
      const [seconds, micros] = await client.time();
      return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    };
    const beforeMs = await serverMs();
    const { atMs } = await store.consume({ checks: [], peek: true });
    expect(atMs).toBeGreaterThanOrEqual(beforeMs);
    expect(atMs).toBeLessThanOrEqual(await serverMs());
  });

  it('supports a client that returns numbers as text', async () => {
    const textual = client.duplicate({ stringNumbers: true });
    const store = new RedisStore({ client: textual });
    const checks = [{ policy: 'p', name: 'n', key: 'text', limit: slidingWindow({ limit: 2, window: '1h' }), cost: 1 }];
    await store.reset(checks);
    const replies = [await store.consume({ checks }), await store.consume({ checks }), await store.consume({ checks })];
    expect(replies.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(replies[2]).toMatchObject({ atMs: expect.any(Number), verdicts: [{ remaining: 0 }] });
    const change = async (cost: number) => store.adjust({ checks: checks.map((check) => ({ ...check, cost })) });
    expect(await change(-1)).toMatchObject({ result: 'applied', verdicts: [{ allowed: true, remaining: 1, used: 1 }] });
    expect(await change(3)).toMatchObject({ result: 'applied', verdicts: [{ allowed: false, remaining: 0, used: 4 }] });
    expect(await store.reset(checks)).toBe(1);
    await textual.quit();
  });

  it('does not quit a client that the user made', async () => {
    await new RedisStore({ client }).close();
    await expect(client.ping()).resolves.toBe('PONG');
  });

  if (hasSuite) {
    it('has written keys of every kind, all with a time to live', () => {
      expect([...kinds].sort()).toEqual(['ask', 'blocks', 'cc', 'change', 'fw', 'lb', 'sc', 'sl', 'sw', 'tb']);
    });
  }
});

describe('the options of a RedisStore', () => {
  const client = { status: 'ready', isCluster: false, call: async () => [], callBuffer: async () => [] };

  it.each<[unknown, string]>([
    [{}, 'client'],
    [{ client: 'redis://localhost' }, 'client'],
    [{ client, prefix: 'a{b}' }, 'prefix'],
    [{ client, timeout: 0 }, 'timeout'],
    [{ client, timeout: '30d' }, 'timeout'],
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
  ])('accept a client (of a cluster: %j) that puts %j before every key', (isCluster, keyPrefix) => {
    expect(() => new RedisStore({ client: { ...client, isCluster, options: { keyPrefix } } })).not.toThrow();
  });

  it('refuse a MemoryStore as the client', () => {
    expect(() => new RedisStore({ client: new MemoryStore() as never })).toThrow('new Redis(url)');
  });
});

it('accepts the clients of both ioredis versions by their types', () => {
  const options: RedisStoreOptions[] = [
    { client: new Redis({ lazyConnect: true }) },
    { client: new Redis5({ lazyConnect: true }) },
    { client: new Cluster([], { lazyConnect: true }) },
  ];
  expect(options.map((own) => new RedisStore(own).supports.atomicAcrossKeys)).toEqual([true, true, false]);
});
