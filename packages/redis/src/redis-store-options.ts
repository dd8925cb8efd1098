import type { Clock, Duration } from '@sluice/core';
import { optionError } from '@sluice/core/store';
import type { RedisClient } from './redis-client.js';
import type { HashTag } from './redis-keys.js';

/** Which Redis a RedisStore counts in, under what keys, and how long it waits. */
export interface RedisStoreOptions {
  /** An ioredis client, `Redis` or `Cluster`. It stays the user's: `close()` does not quit it. */
  client: RedisClient;
  /** What every key begins with; default `'sluice:'`. */
  prefix?: string;
  /** How long a check may take; default 50 ms. After it, the policy's `onStoreError` answers. */
  timeout?: Duration;
  /**
   * How many instances of the application share this Redis, for what each may admit by itself while it is gone. By
   * default 1.
   */
  instances?: number;
  /** Which keys share a slot of a cluster: those of one subject (default), or those of one policy. */
  hashTag?: HashTag;
  /** For tests: passed to every script in place of the server's time. Keys then live for 10 minutes at least. */
  clock?: Clock;
}

/** @throws SluiceError `SLUICE_OPTION` for what is no client of ioredis, or one whose own prefix would tear keys apart */
export function checkClient(client: RedisClient): RedisClient {
  if (typeof client?.call !== 'function')
    throw optionError('client', 'must be an ioredis client: new Redis(url)', client);
  checkKeyPrefix(client);
  return client;
}

/** @throws SluiceError `SLUICE_OPTION` for what could not begin every key */
export function checkPrefix(prefix: unknown): string {
  if (typeof prefix === 'string' && /^[^{}\s]{0,64}$/.test(prefix)) return prefix;
  throw optionError('prefix', 'must be at most 64 characters without blanks and braces', prefix);
}

/** What is put before every key must not reach into the hash tag: keys of one subject would be in different slots. */
function checkKeyPrefix({ isCluster, options }: RedisClient): void {
  const keyPrefix = String(options?.keyPrefix ?? '');
  if (!isCluster || !keyPrefix.includes('{') || /^[^{]*\{[^}]+\}/.test(keyPrefix)) return;
  throw optionError('client', 'must have no keyPrefix that opens a hash tag and leaves it open or empty', keyPrefix);
}
