import { Keyspace } from '@sluice/core/store';
import type { PostgresClient } from './postgres-client.js';

/** By client, and by table. */
const places = new WeakMap<PostgresClient, Map<string, object>>();

/**
 * Where a store counts: stores of one client and table count together. Of two clients nobody can tell here whether they are
 * connected to one database.
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
