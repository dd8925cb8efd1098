import { afterAll } from '@jest/globals';
import type { Clock } from '@sluice/core';
import { LeasedStore, SyncedStore } from '@sluice/core/distributed';
import {
  limiterSuites,
  OVER_EVERYTHING,
  OVER_LEASES,
  OVER_SEVERAL_SERVERS,
  OVER_SYNCED,
} from '@sluice/test-kit/limiter-suites';
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

function pair(
  clientsOf: readonly [RedisClient | Redis, RedisClient | Redis] = clients,
  clock?: Clock,
): [RedisStore, RedisStore] {
  prefixes += 1;
  const prefix = `operations-${prefixes}:`;
  return clientsOf.map((client) => new RedisStore({ client, prefix, timeout: '20s', ...(clock && { clock }) })) as [
    RedisStore,
    RedisStore,
  ];
}

limiterSuites('Redis with two clients', async (clock) => pair(clients, clock), OVER_EVERYTHING);
limiterSuites(
  'a cluster of Redis, whose slots decide one after the other',
  async (clock) => pair([asCluster(clients[0]), asCluster(clients[1])], clock),
  OVER_SEVERAL_SERVERS,
);
limiterSuites(
  'leases',
  async (clock) =>
    pair(clients, clock).map((store) => new LeasedStore({ busyFrom: 1, store })) as [LeasedStore, LeasedStore],
  OVER_LEASES,
);
limiterSuites(
  'synchronized counters',
  async (clock) =>
    pair(clients, clock).map((store) => new SyncedStore({ busyFrom: 1, store })) as [SyncedStore, SyncedStore],
  OVER_SYNCED,
);
