import { redisControls } from '@sluice/config';
import { RedisStore, reconnectDelay } from '@sluice/redis';
import { Redis } from 'ioredis';
import type { Log } from './log.js';
import type { SharedStore } from './opened-store.js';
import type { StoreOptions } from './options/server-options.js';

/** When a server counts as gone that takes no connection, and one that takes the connection and does not answer. */
const CONNECT_TIMEOUT_MS = 400;
const SOCKET_TIMEOUT_MS = 400;

/** So many instances leave a server that hangs later: it has to read all connections that were left before it answers the new ones. */
const MANY_INSTANCES = 100;
const SOCKET_TIMEOUT_OF_MANY_MS = 2000;

/** Counts in Redis, with all instances together. */
export function openRedis({ address, prefix, timeoutMs, instances }: StoreOptions, log: Log): SharedStore {
  // See "How to grow", growing.md of @sluice/core: Redis decides again within a second of its return.
  // The client sends again what was under way when it leaves a connection. By then its deadline is over, so it charges nothing twice.
  const hangsMs = instances < MANY_INSTANCES ? SOCKET_TIMEOUT_MS : SOCKET_TIMEOUT_OF_MANY_MS;
  const socketTimeout = Math.max(hangsMs, 2 * timeoutMs);
  const client = new Redis(address.place, {
    retryStrategy: reconnectDelay({ instances }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout,
  });
  logConnection(client, log);
  const store = new RedisStore({ client, prefix, timeout: timeoutMs, instances });
  return {
    store,
    controls: redisControls(client, { key: `${prefix}controls` }),
    ready: (withinMs) => store.ready({ timeout: withinMs }),
    close: async () => {
      await store.close();
      client.disconnect();
    },
  };
}

/** One line for each outage, however often the client tries. */
function logConnection(client: Redis, log: Log): void {
  let isLost = false;
  client.on('error', (error) => {
    if (!isLost) log.error({ err: error }, 'the connection to Redis is lost');
    isLost = true;
  });
  client.on('ready', () => {
    if (isLost) log.info('the connection to Redis is back');
    isLost = false;
  });
}
