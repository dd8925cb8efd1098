import { IoredisDriver, isIoredis } from './ioredis-driver.js';
import type { RedisClient } from './redis-client.js';
import type { RedisDriver } from './redis-driver.js';

/** The driver of each client: stores of one client share it, and so count together. */
const drivers = new WeakMap<RedisClient, RedisDriver>();

/** Returns the driver of a client; undefined if the client is not supported. */
export function driverOf(client: RedisClient): RedisDriver | undefined {
  if (!isIoredis(client)) return undefined;
  const known = drivers.get(client);
  if (known) return known;
  const driver = new IoredisDriver(client);
  drivers.set(client, driver);
  return driver;
}
