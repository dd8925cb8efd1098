import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import type { RedisClient } from '../../src/index.js';
import type { NodeRedis } from './node-redis.js';

/** A client that is connected, and the way to end it. */
export interface Connection {
  readonly client: RedisClient;
  end(): unknown;
}

/** Where a server listens. */
export type Listening = Pick<RedisServer, 'port'>;

export const HOST = '127.0.0.1';

/** What all its versions share, and the tests use: they do not share their types. */
interface Ioredis {
  on(event: 'error', listener: () => void): unknown;
  disconnect(): void;
}

/** Of ioredis, or of what has grown out of it. Nobody is told of its errors. */
export function ioredisConnection(client: RedisClient & Ioredis): Connection {
  client.on('error', () => {});
  return { client, end: () => client.disconnect() };
}

/** Of node-redis. Nobody is told of its errors. */
export async function nodeRedisConnection(client: NodeRedis): Promise<Connection> {
  client.on('error', () => {});
  await client.connect();
  return { client, end: () => (client.destroy ? client.destroy() : client.disconnect()) };
}
