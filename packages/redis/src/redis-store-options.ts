import type { RemoteStoreOptions } from '@sluice/core/store';
import { optionError } from '@sluice/core/values';
import { driverOf, type RedisClient } from './redis-client.js';
import type { RedisDriver } from './redis-driver.js';
import type { HashTag } from './redis-keys.js';

/** The options of a RedisStore. */
export interface RedisStoreOptions extends RemoteStoreOptions {
  /** A client of ioredis, iovalkey, node-redis or Upstash, or a driver of another client. `close()` does not quit it. */
  client: RedisClient;
  /** The text before every key. Default: `'sluice:'`. */
  prefix?: string;
  /**
   * Which keys share a slot of a cluster: those of one subject (`'subject'`, the default) or those of one policy
   * (`'policy'`).
   */
  hashTag?: HashTag;
}

/** What the client has to be. */
const KNOWN_CLIENTS =
  'must be a client of ioredis 5 or 6 or iovalkey (new Redis(url)), of node-redis 4 to 6 (createClient({ url })) or of @upstash/redis, or a RedisDriver that you write for another one: see docs/clients.md of @sluice/redis';

/**
 * Checks the client, and returns its driver.
 *
 * @throws SluiceError `SLUICE_OPTION` if the client is not known, or if its key prefix would separate the keys of a subject
 */
export function checkClient(client: RedisClient): RedisDriver {
  const driver = driverOf(client);
  if (!driver) throw optionError('client', KNOWN_CLIENTS, client);
  checkKeyPrefix(driver);
  return driver;
}

/**
 * Checks the prefix.
 *
 * @throws SluiceError `SLUICE_OPTION` if a key cannot begin with it
 */
export function checkPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && /^[^{}\s]{0,64}$/.test(prefix)) return prefix;
  throw optionError('prefix', 'must be at most 64 characters without spaces and braces', prefix);
}

/**
 * A client's key prefix must not be part of a hash tag, because keys of one subject would then be in different slots.
 */
function checkKeyPrefix({ isCluster, keyPrefix = '' }: RedisDriver): void {
  if (!isCluster || !keyPrefix.includes('{') || /^[^{]*\{[^}]+\}/.test(keyPrefix)) return;
  throw optionError('client', 'must have no keyPrefix that opens a hash tag and leaves it open or empty', keyPrefix);
}
