import { Redis } from 'ioredis';

/**
 * Connects to Redis. BullMQ waits for Redis as long as it takes, so commands must not give up after some tries. The store of the limiter
 * has deadlines of its own.
 */
export function connectTo(redisUrl: string): Redis {
  const client = new Redis(redisUrl, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', (error) => console.warn(`Redis: ${error.message}`));
  return client;
}
