import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  createLimiter,
  fixedWindow,
  type Limit,
  leakyBucket,
  type Store,
  slidingWindow,
  tokenBucket,
} from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { until } from '@sluice/test-kit/until';
import { Redis, type RedisOptions } from 'ioredis';
import { RedisStore } from '../src/index.js';
import { clientAnswering } from './client-over.js';

const cleaners: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});

const ample = { timeout: '5s' } as const;
const bucket = tokenBucket({ capacity: 100, refillRate: 1 });

async function started(): Promise<RedisServer> {
  const server = await RedisServer.start();
  cleaners.push(() => server.stop());
  return server;
}

function clientOf(port: number, options: Omit<RedisOptions, 'replyMapping'> = {}): Redis {
  const client = new Redis(port, { retryStrategy: () => 50, ...options });
  client.on('error', () => {});
  cleaners.push(() => client.disconnect());
  return client;
}

async function connected(port: number): Promise<Redis> {
  const client = clientOf(port);
  await client.ping();
  return client;
}

function limiterOf(store: Store<true>, limit: Limit = bucket, name = 'default') {
  return createLimiter<string, true>({ name, limits: [limit], store });
}

/** How often a server was sent a command since it started, and how often that failed. */
async function sent(client: Redis, command: string): Promise<{ readonly calls: number; readonly failed: number }> {
  const stats = await client.info('commandstats');
  const line = new RegExp(`^cmdstat_${command}:calls=(\\d+).*failed_calls=(\\d+)`, 'm').exec(stats);
  return { calls: Number(line?.[1] ?? 0), failed: Number(line?.[2] ?? 0) };
}

const callsOf = async (client: Redis, command: string): Promise<number> => (await sent(client, command)).calls;
const scriptsLoaded = (client: Redis, count = 1) => until(async () => (await callsOf(client, 'eval')) >= count);

describe('the scripts of a policy', () => {
  it('are there before the first decision, which is one call then', async () => {
    const client = await connected((await started()).port);
    const limiter = limiterOf(new RedisStore({ client, ...ample }));
    await scriptsLoaded(client);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ allowed: true, source: 'store' });
    expect(await callsOf(client, 'eval')).toBe(1);
    expect(await sent(client, 'evalsha')).toEqual({ calls: 1, failed: 0 });
  });

  it('are sent when the client has connected, if the limiter was made before', async () => {
    const server = await started();
    await server.kill();
    const client = clientOf(server.port);
    const limiter = limiterOf(new RedisStore({ client, ...ample }));
    await server.run();
    await scriptsLoaded(client);
    await limiter.consume('ann');
    expect(await callsOf(client, 'eval')).toBe(1);
    expect(await callsOf(client, 'evalsha')).toBe(1);
  });

  it('are sent again after a restart, so that no decision finds them missing', async () => {
    const server = await started();
    const client = await connected(server.port);
    const limiter = limiterOf(new RedisStore({ client, ...ample }));
    await limiter.consume('ann');
    await server.kill();
    await server.run();
    await scriptsLoaded(client);
    await limiter.consume('ann');
    // The one that failed asked for the script before it was sent again.
    expect(await sent(client, 'evalsha')).toEqual({ calls: 2, failed: 1 });
  });

  it('are not sent again after a connection broke, if the server still has them', async () => {
    const server = await started();
    const observer = await connected(server.port);
    const client = await connected(server.port);
    const store = new RedisStore({ client, ...ample });
    const algorithms = [
      tokenBucket({ capacity: 5, refillRate: 5 }),
      slidingWindow({ limit: 5, window: '1m' }),
      fixedWindow({ limit: 5, window: '1m' }),
      leakyBucket({ capacity: 5, leakRate: 5 }),
    ];
    const limiters = algorithms.map((limit, i) => limiterOf(store, limit, `policy-${i}`));
    for (const limiter of limiters) await limiter.consume('ann');
    const bytesIn = async (): Promise<number> =>
      Number(/total_net_input_bytes:(\d+)/.exec(await observer.info('stats'))?.[1]);
    const before = await bytesIn();
    const evalsBefore = await callsOf(observer, 'eval');
    await observer.call('CLIENT', ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
    await until(async () => (await callsOf(observer, 'evalsha')) >= 2 * algorithms.length, 20);
    for (const limiter of limiters) await limiter.consume('ann');
    expect(await callsOf(observer, 'eval')).toBe(evalsBefore);
    // The scripts have some 150,000; the looks of this test, a few hundred.
    expect((await bytesIn()) - before).toBeLessThan(50_000);
    expect((await sent(observer, 'evalsha')).failed).toBe(0);
  });

  it('are sent by a few of many instances when a server comes back without them', async () => {
    const server = await started();
    const clients = await Promise.all(Array.from({ length: 40 }, () => connected(server.port)));
    const limiters = clients.map((client) => limiterOf(new RedisStore({ client, ...ample, instances: 200 })));
    await Promise.all(limiters.map((limiter) => limiter.consume('ann')));
    const [observer] = clients as [Redis];
    const before = await callsOf(observer, 'eval');
    await observer.script('FLUSH');
    const answers = await Promise.all(limiters.map((limiter) => limiter.consume('ann')));
    expect(answers.every(({ source }) => source === 'store')).toBe(true);
    // A few where they are processes of their own: here all share one event loop.
    expect((await callsOf(observer, 'eval')) - before).toBeLessThan(36);
  });

  it.each([
    [50, 20],
    [10, 4],
    [1, 0],
  ])(
    'leave a decision that may take %i ms time after the wait for other instances: at most %i ms',
    async (timeout, mostMs) => {
      const client = await connected((await started()).port);
      const sharing = { instances: 2000, random: () => 0.9999, timeout };
      const store = new RedisStore({ client, ...sharing });
      const request = { checks: [{ policy: 'p', name: 'n', key: 'ann', limit: bucket, cost: 1 }] };
      await store.consume(request);
      await client.script('FLUSH');
      const timers = jest.spyOn(globalThis, 'setTimeout');
      await store.consume(request);
      const waits = timers.mock.calls.map(([, ms]) => ms).filter((ms = 0) => ms <= 100);
      timers.mockRestore();
      expect(waits).toEqual(mostMs === 0 ? [] : [mostMs]);
      await store.close();
    },
  );

  it('are sent by the decision that finds them missing, after SCRIPT FLUSH', async () => {
    const client = await connected((await started()).port);
    const limiter = limiterOf(new RedisStore({ client, ...ample }));
    await scriptsLoaded(client);
    await client.script('FLUSH');
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'store' });
    expect(await callsOf(client, 'eval')).toBe(2);
  });

  it('are sent once for each mix of algorithms, whatever the number of policies', async () => {
    const client = await connected((await started()).port);
    const store = new RedisStore({ client, ...ample });
    const limits = [bucket, tokenBucket({ capacity: 5, refillRate: 5 }), slidingWindow({ limit: 5, window: '1m' })];
    const limiters = limits.map((limit, i) => limiterOf(store, limit, `policy-${i}`));
    await scriptsLoaded(client, 2);
    for (const limiter of limiters) await limiter.consume('ann');
    expect(await callsOf(client, 'eval')).toBe(2);
  });

  it('are those of the limits that are known before a request, where a function chooses another one', async () => {
    const client = await connected((await started()).port);
    const chosen = { name: 'chosen', limit: () => slidingWindow({ limit: 5, window: '1m' }) };
    const limiter = createLimiter<string, true>({
      limits: [bucket, chosen],
      store: new RedisStore({ client, ...ample }),
    });
    await scriptsLoaded(client);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ allowed: true, source: 'store' });
  });

  it('are on every master of a cluster', async () => {
    const cluster = await RedisCluster.start();
    cleaners.push(() => cluster.stop());
    const client = cluster.connect();
    cleaners.push(() => client.disconnect());
    await client.ping();
    limiterOf(new RedisStore({ client, ...ample }));
    const masters = client.nodes('master');
    expect(masters.length).toBeGreaterThan(1);
    for (const master of masters) await scriptsLoaded(master);
  }, 180_000);
});

describe('a limiter', () => {
  it('does not connect a lazy client', async () => {
    const client = clientOf((await started()).port, { lazyConnect: true });
    limiterOf(new RedisStore({ client }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(client.status).toBe('wait');
  });

  it('is made on a client that answers nothing but errors', async () => {
    const client = clientAnswering(() => Promise.reject(new Error('NOPERM')));
    const errors: unknown[] = [];
    const note = (error: unknown): number => errors.push(error);
    subscribe('sluice:store-error', note);
    cleaners.push(() => unsubscribe('sluice:store-error', note));
    const limiter = limiterOf(new RedisStore({ client }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(errors).toEqual([]);
    await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'local' });
  });

  it('sends nothing more when its store is closed', async () => {
    const server = await started();
    const client = await connected(server.port);
    const store = new RedisStore({ client, ...ample });
    limiterOf(store);
    await scriptsLoaded(client);
    await store.close();
    await server.kill();
    await server.run();
    await until(() => client.status === 'ready');
    expect(await callsOf(client, 'eval')).toBe(0);
  });

  it('sends nothing over a store that was closed before', async () => {
    const client = await connected((await started()).port);
    const store = new RedisStore({ client, ...ample });
    await store.close();
    limiterOf(store);
    expect(await callsOf(client, 'eval')).toBe(0);
  });

  it('adds one listener to a client, however many stores it has', async () => {
    const client = clientOf((await started()).port);
    const before = client.listenerCount('ready');
    for (let i = 0; i < 20; i += 1) limiterOf(new RedisStore({ client, prefix: `app-${i}:` }));
    expect(client.listenerCount('ready') - before).toBe(1);
  });
});

it('the first decision does not ask for the server’s time first', async () => {
  const client = await connected((await started()).port);
  const limiter = limiterOf(new RedisStore({ client, ...ample }));
  await scriptsLoaded(client);
  await client.config('RESETSTAT');
  await limiter.consume('ann');
  expect(await callsOf(client, 'time')).toBe(1);
});

it.each([
  ['leased', (store: RedisStore) => new LeasedStore({ busyFrom: 1, store })],
  ['synced', (store: RedisStore) => new SyncedStore({ busyFrom: 1, store })],
  ['sharded', (store: RedisStore) => new ShardedStore({ nodes: { a: store } })],
])('a %s store has the scripts of its policies sent, too', async (_, over) => {
  const client = await connected((await started()).port);
  const store = over(new RedisStore({ client, ...ample }));
  cleaners.push(() => store.close());
  limiterOf(store);
  await scriptsLoaded(client);
});

it('a time that is read late does not make the first decision too late', async () => {
  const client = await connected((await started()).port);
  const limiter = limiterOf(new RedisStore({ client, timeout: '200ms' }));
  // A program that starts has much else to do.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  await client.ping();
  await expect(limiter.consume('ann')).resolves.toMatchObject({ source: 'store' });
});
