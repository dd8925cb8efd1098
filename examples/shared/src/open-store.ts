import { MemoryStore, type Store } from '@sluice/core';
import type { RedisClient } from '@sluice/redis';

/** A store, and the way to end it with whatever was opened for it. */
export interface OpenStore {
  readonly store: Store;
  /** Waits until the store can decide, for at most a second. A failure is logged: the program starts all the same. Call it when all policies are made. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** A client of Redis, and the way to end it. */
interface Connection {
  readonly client: RedisClient;
  end(): void;
}

/** A program needs one of them: `REDIS_CLIENT=node-redis npm start` takes another than ioredis. */
const CLIENTS: Readonly<Record<string, (url: string) => Promise<Connection>>> = {
  async ioredis(url) {
    const { Redis } = await import('ioredis');
    const client = new Redis(url);
    client.on('error', warn);
    return { client, end: () => client.disconnect() };
  },

  async 'node-redis'(url) {
    const { createClient } = await import('redis');
    const client = createClient({ url });
    client.on('error', warn);
    // Not awaited, so that the program also starts without Redis.
    client.connect().catch(() => {});
    return { client, end: () => client.destroy() };
  },

  async glide(url) {
    const [{ GlideClient }, { GlideDriver }] = await Promise.all([
      import('@valkey/valkey-glide'),
      import('./glide-driver.js'),
    ]);
    const { hostname, port } = new URL(url);
    const addresses = [{ host: hostname, port: Number(port || 6379) }];
    const client = await GlideClient.createClient({ addresses, lazyConnect: true });
    return { client: new GlideDriver(client), end: () => client.close() };
  },
};

function warn(error: Error): void {
  console.warn(`Redis: ${error.message}`);
}

/** Counts in Redis, with all instances together, where there is a URL of one; otherwise in this process. */
export async function openStore(
  redisUrl: string | undefined,
  instances: number,
  redisClient = process.env.REDIS_CLIENT || 'ioredis',
): Promise<OpenStore> {
  if (!redisUrl) {
    const store = new MemoryStore();
    return { store, ready: async () => {}, close: async () => store.close() };
  }
  const connect = CLIENTS[redisClient];
  if (!connect) throw new Error(`REDIS_CLIENT must be one of ${Object.keys(CLIENTS).join(', ')}, got "${redisClient}"`);
  const [{ client, end }, { RedisStore }] = await Promise.all([connect(redisUrl), import('@sluice/redis')]);
  const store = new RedisStore({ client, instances });
  const close = async (): Promise<void> => {
    await store.close();
    end();
  };
  const ready = () =>
    store.ready({ timeout: '1s' }).catch((error: Error) => console.warn(`Starting without Redis: ${error.message}`));
  return { store, ready, close };
}
