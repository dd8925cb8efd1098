import { redisControls } from '@sluice/config';
import { SluiceError } from '@sluice/core';
import { RedisStore } from '@sluice/redis';
import { Redis } from 'ioredis';
import type { Log } from './log.js';
import type { OpenedStore } from './opened-store.js';
import type { RedisOptions } from './options/server-options.js';

/**
 * How long the start waits for Redis. An instance that counts by itself for its first moments would admit more than the limit, so
 * it is not ready before.
 */
const READY_WITHIN_MS = 5000;

/** When a server counts as gone that takes the connection and does not answer. */
const SOCKET_TIMEOUT_MS = 400;

/**
 * Counts in Redis, with all instances together.
 *
 * @throws SluiceError `SLUICE_STORE` without Redis, if it is required; `SLUICE_OPTION` if Redis is too old
 */
export async function openRedis(
  { url, prefix, timeoutMs, instances, isRequired }: RedisOptions,
  log: Log,
): Promise<OpenedStore> {
  // See the settings of the client in docs/setting-up.md of @sluice/redis: Redis decides again within a second of its return.
  // The client sends again what was under way when it leaves a connection. By then its deadline is over, so it charges nothing twice.
  const socketTimeout = Math.max(SOCKET_TIMEOUT_MS, 2 * timeoutMs);
  const client = new Redis(url, { retryStrategy: () => 50, connectTimeout: SOCKET_TIMEOUT_MS, socketTimeout });
  logConnection(client, log);
  const store = new RedisStore({ client, prefix, timeout: timeoutMs, instances });
  const close = async (): Promise<void> => {
    await store.close();
    client.disconnect();
  };
  try {
    await store.ready({ timeout: READY_WITHIN_MS });
  } catch (error) {
    if (isRequired || (error instanceof SluiceError && error.code !== 'SLUICE_STORE')) {
      await close();
      throw error;
    }
    log.error({ err: error }, 'Redis cannot be used: the service starts degraded, and each instance counts by itself');
  }
  return { store, controls: redisControls(client, { key: `${prefix}controls` }), close };
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
