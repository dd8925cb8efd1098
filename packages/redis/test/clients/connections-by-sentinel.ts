import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { Redis as Valkey } from 'iovalkey';
import { createSentinel } from 'redis';
import { createSentinel as createSentinel5 } from 'redis5';
import { type Connection, ioredisConnection, nodeRedisConnection } from './connection.js';
import { type Create, SETTINGS } from './node-redis.js';

/** Where clients ask which server is in charge, and by which name. */
interface Sentinel {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** What docs/setting-up.md tells users of Sentinel to set. */
const bySentinel = ({ name, host, port }: Sentinel) => ({
  retryStrategy: () => 50,
  connectTimeout: 400,
  socketTimeout: 400,
  sentinelRetryStrategy: () => 50,
  sentinelCommandTimeout: 200,
  sentinels: [{ host, port }],
  name,
});

function nodeRedisBySentinel(create: Create, { name, host, port }: Sentinel): Promise<Connection> {
  const options = { socket: SETTINGS };
  return nodeRedisConnection(
    create({
      name,
      sentinelRootNodes: [{ host, port }],
      nodeClientOptions: options,
      sentinelClientOptions: options,
    }),
  );
}

/** How to connect each client that can ask Sentinel which server is in charge. */
export const CONNECT_BY_SENTINEL: Readonly<Record<string, (sentinel: Sentinel) => Promise<Connection>>> = {
  'ioredis 6': async (sentinel) => ioredisConnection(new Redis(bySentinel(sentinel))),
  'ioredis 5': async (sentinel) => ioredisConnection(new Redis5(bySentinel(sentinel))),
  iovalkey: async (sentinel) => ioredisConnection(new Valkey(bySentinel(sentinel))),
  'node-redis 6': (sentinel) => nodeRedisBySentinel(createSentinel as unknown as Create, sentinel),
  'node-redis 5': (sentinel) => nodeRedisBySentinel(createSentinel5 as unknown as Create, sentinel),
};
