import { afterAll, beforeAll, it } from '@jest/globals';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import type { Connection } from './connection.js';
import { CONNECT } from './connections.js';
import { suiteOver } from './over-client.js';

/** Over ioredis 6, the whole suite runs elsewhere. */
const CLIENTS = Object.entries(CONNECT).filter(([name]) => name !== 'ioredis 6');

let server: RedisServer;
const connections = new Map<string, Connection>();

beforeAll(async () => {
  server = await RedisServer.start();
  for (const [name, connect] of CLIENTS) connections.set(name, await connect(server));
}, 180_000);

afterAll(async () => {
  for (const connection of connections.values()) await connection.end();
  await server.stop();
});

// All tests run at the same time, so that a client has much to send together. It costs less than to wait for each answer. The scripts that
// count are the same over all clients, so that CI plays each vector over one of them, and each rule over all.
for (const [index, [name]] of CLIENTS.entries()) {
  const client = () => (connections.get(name) as Connection).client;
  suiteOver(client, { name: `over ${name}`, test: it.concurrent, part: { index, of: CLIENTS.length } });
}
