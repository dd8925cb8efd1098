import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLimiter, tokenBucket } from '@sluice/core';
import { encodeKey } from '@sluice/core/src/values/key';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { SEVERAL_SERVERS } from '@sluice/test-kit/store-claims';
import { until } from '@sluice/test-kit/until';
import { Redis } from 'ioredis';
import { createCluster } from 'redis';
import { createCluster as createCluster4 } from 'redis4';
import { createCluster as createCluster5 } from 'redis5';
import type { NodeRedisClient } from '../../src/index.js';
import { IS_FULL, newStore, prefix, suiteOver } from './over-client.js';

/** What the versions share, and the tests use: they do not share their types. */
interface Cluster extends NodeRedisClient {
  connect(): Promise<unknown>;
  quit(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
}

type Create = (options: object) => Cluster;

let cluster: RedisCluster;
let looking: Redis[];

beforeAll(async () => {
  cluster = await RedisCluster.start();
  looking = cluster.servers.map(({ port }) => new Redis(port));
}, 180_000);

afterAll(async () => {
  for (const client of looking) client.disconnect();
  await cluster.stop();
});

/** How often the servers ran a script by its source. */
async function scripts(): Promise<number> {
  const stats = await Promise.all(looking.map((client) => client.info('commandstats')));
  return stats.filter((text) => text.includes('cmdstat_eval:')).length;
}

describe.each<readonly [string, Create]>([
  ['6', createCluster as unknown as Create],
  ['5', createCluster5 as unknown as Create],
  ['4', createCluster4 as unknown as Create],
])('over a cluster of node-redis %s', (version, create) => {
  let client: Cluster;

  beforeAll(async () => {
    client = create({ rootNodes: cluster.servers.map(({ port }) => ({ url: `redis://127.0.0.1:${port}` })) });
    client.on('error', () => {});
    await client.connect();
  });

  afterAll(async () => {
    await client.quit();
  });

  if (version === '6' && IS_FULL) suiteOver(() => client, { claims: SEVERAL_SERVERS });

  it('gets the scripts of a policy on every server in advance', async () => {
    await Promise.all(looking.map((other) => other.config('RESETSTAT')));
    const store = newStore(client);
    createLimiter({ limit: 5, window: '1h', store });
    await until(async () => (await scripts()) === looking.length);
    await store.close();
  });

  it('knows the node of any key', async () => {
    const store = newStore(client);
    await store.ready();
    const name = 'placed';
    const limiter = createLimiter({ limit: tokenBucket({ name, capacity: 20, refillRate: 0 }), name, store });
    const portsWithKeys = async (): Promise<string[]> => {
      const counts = await Promise.all(looking.map(async (other) => (await other.keys(`${prefix()}*`)).length));
      return looking.filter((_other, i) => counts[i] !== 0).map(({ options }) => `127.0.0.1:${options.port}`);
    };
    for (const key of ['ann', '{', '', '東京']) {
      await limiter.consume(key);
      const node = store.remote.placement?.nodeOf({ policy: name, name, key: encodeKey(key) });
      expect(await portsWithKeys()).toEqual([node]);
      await limiter.reset(key);
    }
    await store.close();
  });
});

it('sends a call again while keys of its slot are on two servers', async () => {
  const tries = new Map<string, number>();
  const client = {
    isOpen: true,
    masters: [{ address: '127.0.0.1:1' }],
    slots: [],
    on: () => {},
    async sendCommand(key: string, _isReadonly: boolean, [name]: readonly string[]): Promise<unknown> {
      if (name !== 'UNLINK') throw new Error('CROSSSLOT');
      const count = (tries.get(key) ?? 0) + 1;
      tries.set(key, count);
      if (count < 3) throw new Error('TRYAGAIN Multiple keys request during rehashing of slot');
      return 1;
    },
  };
  const store = newStore(client);
  const states = await store.reset([{ policy: 'p', name: 'n', key: 'ann' }]);
  expect([...tries.values()]).toEqual(Array.from({ length: states }, () => 3));
  await expect(store.blocks.find([{ policy: 'p', name: 'n', key: 'ann' }])).rejects.toThrow('CROSSSLOT');
  await store.close();
});
