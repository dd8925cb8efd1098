import { MemoryStore } from '@sluice/core';
import type { Log } from './log.js';
import type { OpenedStore } from './opened-store.js';
import type { ServerOptions } from './options/server-options.js';

type CounterOptions = Pick<ServerOptions, 'redis' | 'maxKeys'>;

/**
 * Opens the store of the service.
 *
 * @throws SluiceError `SLUICE_STORE` without Redis, if it is required; `SLUICE_OPTION` if Redis is too old
 */
export async function openStore({ redis, maxKeys }: CounterOptions, log: Log): Promise<OpenedStore> {
  if (redis) {
    // An instance that is alone starts without the client of Redis.
    const { openRedis } = await import('./open-redis.js');
    return openRedis(redis, log);
  }
  const store = new MemoryStore({ maxKeys });
  return { store, close: async () => store.close() };
}
