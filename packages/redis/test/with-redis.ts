import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisServer } from './redis-server.js';

/** Starts a server for the tests of a file, and gives them a client of it. Both end with the file. */
export function withRedis(give: (client: Redis) => void): void {
  let server: RedisServer | undefined;
  let client: Redis | undefined;

  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.port);
    give(client);
  });

  afterAll(async () => {
    client?.disconnect();
    await server?.stop();
  });
}
