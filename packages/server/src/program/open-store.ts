import type { Controls } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import type { Log } from './log.js';
import type { RedisOptions } from './options/server-options.js';

/** Where the service counts, and how its instances tell each other. */
export interface OpenStore {
  readonly store: Store;
  /** Absent in memory: there is one instance. */
  readonly controls?: Controls;
  /** Gives back what the store holds, and closes the connections. */
  close(): Promise<void>;
}

/**
 * Opens the store of the service.
 *
 * @throws SluiceError `SLUICE_STORE` without Redis, if it is required; `SLUICE_OPTION` if Redis is too old
 */
export async function openStore(redis: RedisOptions | undefined, log: Log): Promise<OpenStore> {
  if (redis) {
    // An instance that is alone starts without the client of Redis.
    const { openRedis } = await import('./open-redis.js');
    return openRedis(redis, log);
  }
  const store = new MemoryStore();
  return { store, close: async () => store.close() };
}
