import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Redis as Upstash } from '@upstash/redis';
import { Cluster, Redis } from 'ioredis';
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4';
import {
  createClient as createClient5,
  createClientPool as createClientPool5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from 'redis5';
import { type RedisDriver, RedisStore, type RedisStoreOptions } from '../../src/index.js';
import { storesOver } from '../differential/stores-over.js';
import { IS_FULL, newStore, storeBeside, suiteOver } from './over-client.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

it('The clients of all versions are known by their types and by their methods', () => {
  const sentinels = { name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] };
  const roots = { rootNodes: [{ url: 'redis://127.0.0.1:1' }] };
  const single: RedisStoreOptions['client'][] = [
    new Redis({ lazyConnect: true }),
    new Valkey({ lazyConnect: true }),
    new Upstash({ url: 'http://127.0.0.1:1', token: 'secret' }),
    createClient(),
    createClientPool(),
    createSentinel(sentinels),
    createClient5(),
    createClientPool5(),
    createSentinel5(sentinels),
    createClient4(),
  ];
  const clusters: RedisStoreOptions['client'][] = [
    new Cluster([], { lazyConnect: true }),
    new ValkeyCluster([], { lazyConnect: true }),
    createCluster(roots),
    createCluster5(roots),
    createCluster4(roots),
  ];
  const isCluster = (one: RedisStoreOptions['client']): boolean =>
    !new RedisStore({ client: one }).supports.atomicAcrossKeys;
  expect(single.map(isCluster)).toEqual(single.map(() => false));
  expect(clusters.map(isCluster)).toEqual(clusters.map(() => true));
});

it.each<[string, unknown]>([
  ['a URL', 'redis://localhost'],
  ['nothing', undefined],
  ['a number', 6379],
  ['another store', new MemoryStore()],
  ['the constructor', Redis],
  ['node-redis 3, whose commands call back', { send_command() {}, connected: true }],
  ['half a driver', { status: 'ready', runScript: async () => null }],
  ['the legacy mode of node-redis 4', createClient4({ legacyMode: true })],
])('An unknown client is refused, and the error says which are known: %s', (_, unknown) => {
  expect(() => new RedisStore({ client: unknown as never })).toThrow(
    expect.objectContaining({
      code: 'SLUICE_OPTION',
      path: 'client',
      message: expect.stringMatching(
        /^client must be a client of ioredis 5 or 6 or iovalkey \(new Redis\(url\)\), of node-redis 4 to 6 \(createClient\(\{ url \}\)\) or of @upstash\/redis, or a RedisDriver that you write for another one: see docs\/clients.md of @sluice\/redis, got /,
      ),
    }),
  );
});

/** What docs/clients.md shows: the least that a driver can be. It stands on a client that we know, by commands alone. */
class SmallDriver implements RedisDriver {
  get status(): string {
    return client.status;
  }

  runScript(
    command: 'eval' | 'evalsha',
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
    isPacked: boolean,
  ): Promise<unknown> {
    const all = [script, keys.length, ...keys, ...args];
    return isPacked ? client.callBuffer(command, all) : client.call(command, all);
  }

  command(name: string, args: readonly string[]): Promise<unknown> {
    return client.call(name, [...args]);
  }
}

describe('A driver of three members', () => {
  const driver = new SmallDriver();

  if (IS_FULL) suiteOver(() => driver);

  it('decides as in memory', () => expectSameAsInMemory(storesOver(driver), 'driver', 10));

  it('is one place: two stores of it count together', async () => {
    const [one, other] = [newStore(driver), storeBeside(driver)];
    createLimiter({ name: 'api', limit: 5, window: '1m', store: one });
    expect(() => createLimiter({ name: 'api', limit: 6, window: '1m', store: other })).toThrow('SLUICE_DUPLICATE_NAME');
    await expect(one.ready()).resolves.toBeUndefined();
    await Promise.all([one.close(), other.close()]);
  });
});
