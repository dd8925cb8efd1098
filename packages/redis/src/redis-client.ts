import { type IoredisClient, IoredisDriver, isIoredis } from './ioredis-driver.js';
import { isNodeRedis, type NodeRedisClient, NodeRedisDriver } from './node-redis-driver.js';
import type { RedisDriver } from './redis-driver.js';
import { isUpstash, type UpstashClient, UpstashDriver } from './upstash-driver.js';

/**
 * What a `RedisStore` takes as its client: one of ioredis 5 or 6 or of iovalkey, one of node-redis 4, 5 or 6, one of `@upstash/redis`, or a
 * driver of any other client. Each is known by its methods.
 */
export type RedisClient = IoredisClient | NodeRedisClient | UpstashClient | RedisDriver;

/** The driver of each client: stores of one client share it, and so count together. */
const drivers = new WeakMap<RedisClient, RedisDriver>();

/** Returns the driver of a client; undefined if the client is not known. */
export function driverOf(client: RedisClient): RedisDriver | undefined {
  if (isDriver(client)) return client;
  const known = drivers.get(client);
  if (known) return known;
  const driver = newDriver(client);
  if (driver) drivers.set(client, driver);
  return driver;
}

function isDriver(client: unknown): client is RedisDriver {
  const { runScript, command } = (client ?? {}) as Partial<RedisDriver>;
  return typeof runScript === 'function' && typeof command === 'function';
}

function newDriver(client: unknown): RedisDriver | undefined {
  if (isIoredis(client)) return new IoredisDriver(client);
  if (isNodeRedis(client)) return new NodeRedisDriver(client);
  return isUpstash(client) ? new UpstashDriver(client) : undefined;
}
