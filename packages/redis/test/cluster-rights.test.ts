import { afterEach, expect, it } from '@jest/globals';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { Cluster, Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

/** As docs/setting-up.md names them. */
const RIGHTS =
  '+evalsha +eval +time +mget +get +set +setrange +del +unlink +ping +info +cluster|slots +cluster|info'.split(' ');

let cluster: RedisCluster;

afterEach(() => cluster.stop());

it('A cluster needs only the permissions that the page names', async () => {
  cluster = await RedisCluster.start();
  for (const { port } of cluster.servers) {
    const admin = new Redis(port);
    await admin.call('ACL', ['SETUSER', 'sluice', 'on', '>secret', '~sluice:*', '-@all', ...RIGHTS]);
    await admin.quit();
  }
  const nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const client = new Cluster(nodes, { redisOptions: { username: 'sluice', password: 'secret' } });
  const store = new RedisStore({ client, timeout: 1000 });
  await expect(store.ready()).resolves.toBeUndefined();
  await store.close();
  client.disconnect();
}, 120_000);
