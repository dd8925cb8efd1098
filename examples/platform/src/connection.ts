import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';

/** A connection for a queue, and a store over it for limits. */
export interface Shared {
  readonly connection: Redis;
  readonly store: RedisStore;
  close(): Promise<void>;
}

/** Connects to Redis. BullMQ waits for it as long as it takes; the store has deadlines of its own. */
export function connectTo(redisUrl: string): Shared {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  connection.on('error', (error) => console.warn(`Redis: ${error.message}`));
  const store = new RedisStore({ client: connection, timeout: '2s' });
  return {
    connection,
    store,
    async close() {
      await store.close();
      await connection.quit();
    },
  };
}
