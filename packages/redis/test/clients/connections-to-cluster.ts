import { Cluster } from 'ioredis';
import { Cluster as Cluster5 } from 'ioredis5';
import { Cluster as ValkeyCluster } from 'iovalkey';
import { createCluster } from 'redis';
import { createCluster as createCluster4 } from 'redis4';
import { createCluster as createCluster5 } from 'redis5';
import { type Connection, HOST, ioredisConnection, type Listening, nodeRedisConnection } from './connection.js';
import { type Create, SETTINGS } from './node-redis.js';

const nodesOf = (servers: readonly Listening[]) => servers.map(({ port }) => ({ host: HOST, port }));

function nodeRedisCluster(create: Create, servers: readonly Listening[]): Promise<Connection> {
  const rootNodes = servers.map(({ port }) => ({ url: `redis://${HOST}:${port}` }));
  return nodeRedisConnection(create({ rootNodes, defaults: { socket: SETTINGS } }));
}

/** How to connect each client that can ask a cluster. */
export const CONNECT_CLUSTER: Readonly<Record<string, (servers: readonly Listening[]) => Promise<Connection>>> = {
  'ioredis 6': async (servers) => ioredisConnection(new Cluster(nodesOf(servers))),
  'ioredis 5': async (servers) => ioredisConnection(new Cluster5(nodesOf(servers))),
  iovalkey: async (servers) => ioredisConnection(new ValkeyCluster(nodesOf(servers))),
  'node-redis 6': (servers) => nodeRedisCluster(createCluster as unknown as Create, servers),
  'node-redis 5': (servers) => nodeRedisCluster(createCluster5 as unknown as Create, servers),
  'node-redis 4': (servers) => nodeRedisCluster(createCluster4 as unknown as Create, servers),
};
