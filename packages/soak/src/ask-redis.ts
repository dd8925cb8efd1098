import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';

/** Uses a client of its own, so that no fault of the last one matters. */
export async function withClient<T>(server: RedisServer, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ host: '127.0.0.1', port: server.port });
  client.on('error', () => {});
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

/** Sends a command over a connection of its own. */
export async function command(server: RedisServer, name: string, ...args: readonly string[]): Promise<void> {
  await withClient(server, (client) => client.call(name, ...args));
}
