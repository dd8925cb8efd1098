import { Keyspace } from '@sluice/core/store';
import type { PostgresClient } from './postgres-client.js';

/** By client, then by table. */
const places = new WeakMap<PostgresClient, Map<string, object>>();

/**
 * Returns the place where a store counts. Stores with the same client and table count together. Two clients may be
 * connected to one database: see `identityText`.
 */
export function keyspaceOf(client: PostgresClient, table: string): Keyspace {
  const ofClient = places.get(client) ?? new Map<string, object>();
  places.set(client, ofClient);
  const place = ofClient.get(table) ?? {};
  ofClient.set(table, place);
  return new Keyspace(place, {
    place: `this PostgreSQL client and the table ${table}`,
    suggestion: 'give one of the stores another table',
  });
}
