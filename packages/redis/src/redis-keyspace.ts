import { Keyspace } from '@sluice/core/store';
import type { RedisDriver } from './redis-driver.js';
import type { HashTag, RedisKeys } from './redis-keys.js';

/** By client, then by how keys are named. */
const places = new WeakMap<RedisDriver, Map<string, object>>();

/**
 * Returns the place where a store counts. Stores with the same client and the same key names count together. Two
 * clients may be connected to one server: see `identityOf`.
 */
export function keyspaceOf(driver: RedisDriver, prefix: string, hashTag: HashTag): Keyspace {
  let ofClient = places.get(driver);
  if (!ofClient) {
    ofClient = new Map();
    places.set(driver, ofClient);
  }
  const naming = namingOf(prefix, hashTag);
  let place = ofClient.get(naming);
  if (!place) {
    place = {};
    ofClient.set(naming, place);
  }
  return new Keyspace(place, {
    place: `this Redis client and the prefix ${JSON.stringify(prefix)}`,
    suggestion: 'give one of the stores another prefix',
  });
}

/**
 * Returns the identity of the place where a store counts: two clients that are connected to one server have the same.
 *
 * @param server - what no other server has
 */
export function identityOf({ database }: RedisDriver, { prefix, hashTag }: RedisKeys, server: string): string {
  return `redis ${server} ${database ?? 0} ${namingOf(prefix, hashTag)}`;
}

const namingOf = (prefix: string, hashTag: HashTag): string => `${hashTag} ${prefix}`;
