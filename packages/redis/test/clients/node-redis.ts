import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { createClient as createClient5 } from 'redis5';
import type { NodeRedisClient } from '../../src/index.js';

/** What the versions of node-redis share, and the tests use: they do not share their types. */
export interface NodeRedis extends NodeRedisClient {
  connect(): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
  listenerCount(event: 'error'): number;
  /** Version 4 calls it `disconnect`. */
  destroy?(): unknown;
  disconnect(): unknown;
}

/** Makes a client. */
export type Create = (options: object) => NodeRedis;

/** `createClient` of each version, the newest first. */
export const VERSIONS: readonly (readonly [version: string, create: Create])[] = [
  ['6', createClient as unknown as Create],
  ['5', createClient5 as unknown as Create],
  ['4', createClient4 as unknown as Create],
];

/** What docs/clients.md tells users of node-redis to set. */
export const SETTINGS = { reconnectStrategy: () => 50, connectTimeout: 400 };

/** A client that is not connected yet. Nobody is told of its errors. */
export function clientAt({ port }: { readonly port: number }, create: Create, options: object = {}): NodeRedis {
  const client = create({ ...options, socket: { ...SETTINGS, host: '127.0.0.1', port } });
  client.on('error', () => {});
  return client;
}

/** A client that is connected. */
export async function connectedTo(
  server: { readonly port: number },
  create: Create,
  options: object = {},
): Promise<NodeRedis> {
  const client = clientAt(server, create, options);
  await client.connect();
  return client;
}

/** Ends a client, whether it is connected or not. */
export function end(client: NodeRedis): void {
  if (!client.isOpen) return;
  if (client.destroy) client.destroy();
  else client.disconnect();
}
