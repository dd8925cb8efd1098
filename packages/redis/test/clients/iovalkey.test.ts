import { afterAll, describe, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Cluster, Redis } from 'iovalkey';
import { newStore } from './over-client.js';

describe('over iovalkey', () => {
  let client: Redis;

  withRedis((_, { port }) => {
    client = new Redis(port, '127.0.0.1');
  });

  afterAll(() => client.disconnect());

  it('sends the scripts in advance, and says why it is not connected', async () => {
    const gone = new Redis(1, '127.0.0.1', { retryStrategy: () => 50 });
    gone.on('error', () => {});
    await expect(newStore(gone).ready({ timeout: '1s' })).rejects.toMatchObject({
      message: expect.stringContaining('ECONNREFUSED'),
    });
    gone.disconnect();
    const store = newStore(client);
    const limiter = createLimiter({ limit: 5, window: '1h', store });
    await store.ready();
    await client.config('RESETSTAT');
    await limiter.consume('ann');
    expect(await client.info('commandstats')).not.toContain('cmdstat_eval:');
    await store.close();
  });
});

it('over a cluster of iovalkey, each limit holds', async () => {
  const cluster = await RedisCluster.start();
  const client = new Cluster(cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port })));
  const store = newStore(client);
  await store.ready();
  const limiter = createLimiter({ limit: 5, window: '1h', store });
  for (const subject of ['ann', 'bob', 'cid', 'dan', 'eve']) {
    const decisions = await Promise.all(Array.from({ length: 8 }, () => limiter.consume(subject)));
    expect(decisions.map(({ source }) => source)).toEqual(decisions.map(() => 'store'));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(store.remote.placement?.nodeOf({ policy: 'p', name: 'n', key: subject })).toMatch(/^127\.0\.0\.1:\d+$/);
  }
  await store.close();
  client.disconnect();
  await cluster.stop();
}, 180_000);
