import { MemoryStore, type Store } from '@sluice/core';

/** A store, and the way to end it with whatever was opened for it. */
export interface OpenStore {
  readonly store: Store;
  /** Waits until the store can decide, for at most a second. A failure is logged: the program starts all the same. Call it when all policies are made. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** Counts in Redis, with all instances together, where there is a URL of one; otherwise in this process. */
export async function openStore(redisUrl: string | undefined, instances: number): Promise<OpenStore> {
  if (!redisUrl) {
    const store = new MemoryStore();
    return { store, ready: async () => {}, close: async () => store.close() };
  }
  const [{ Redis }, { RedisStore }] = await Promise.all([import('ioredis'), import('@sluice/redis')]);
  const client = new Redis(redisUrl);
  client.on('error', (error) => console.warn(`Redis: ${error.message}`));
  const store = new RedisStore({ client, instances });
  const close = async (): Promise<void> => {
    await store.close();
    client.disconnect();
  };
  const ready = () =>
    store.ready({ timeout: '1s' }).catch((error: Error) => console.warn(`Starting without Redis: ${error.message}`));
  return { store, ready, close };
}
