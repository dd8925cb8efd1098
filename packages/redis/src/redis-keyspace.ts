import { Keyspace } from '@sluice/core/store';
import type { RedisClient } from './redis-client.js';
import type { HashTag } from './redis-keys.js';

/** By client, then by how keys are named. */
const places = new WeakMap<RedisClient, Map<string, object>>();

/**
 * Returns the place where a store counts. Stores with the same client and the same key names count together. Two
 * clients may be connected to one server, but nobody can see that here.
 */
export function keyspaceOf(client: RedisClient, prefix: string, hashTag: HashTag): Keyspace {
  let ofClient = places.get(client);
  if (!ofClient) {
    ofClient = new Map();
    places.set(client, ofClient);
  }
  const naming = `${hashTag} ${prefix}`;
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
