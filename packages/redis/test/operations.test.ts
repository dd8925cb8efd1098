import { afterAll } from '@jest/globals';
import { LeasedStore, SyncedStore } from '@sluice/core';
import { chargeSuite } from '@sluice/test-kit/charge-suite';
import { operationSuite } from '@sluice/test-kit/operation-suite';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { Redis } from 'ioredis';
import { type RedisClient, RedisStore } from '../src/index.js';
import { clientOver } from './client-over.js';

let clients: readonly [Redis, Redis];

afterAll(() => clients[1].disconnect());

withRedis((client, { nearest }) => {
  clients = [client, new Redis(nearest)];
});

const asCluster = (client: Redis): RedisClient =>
  clientOver(client, (command, args, send) => send(command, args), { isCluster: true });

let prefixes = 0;

function pair(clientsOf: readonly [RedisClient | Redis, RedisClient | Redis] = clients): [RedisStore, RedisStore] {
  prefixes += 1;
  const prefix = `operations-${prefixes}:`;
  return clientsOf.map((client) => new RedisStore({ client, prefix, timeout: '1m' })) as [RedisStore, RedisStore];
}

for (const suite of [operationSuite, chargeSuite]) {
  suite('Redis with two clients', async () => pair());
  suite('a cluster of Redis, whose slots decide one after the other', async () =>
    pair([asCluster(clients[0]), asCluster(clients[1])]));
  suite('leases', async () => pair().map((store) => new LeasedStore({ store })) as [LeasedStore, LeasedStore]);
}

// Units that are not reported yet cannot be found by another instance, so charges are not among its promises.
operationSuite(
  'synchronized counters',
  async () => pair().map((store) => new SyncedStore({ store })) as [SyncedStore, SyncedStore],
);
