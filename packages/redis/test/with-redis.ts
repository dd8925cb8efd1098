import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { RedisServer } from './redis-server.js';

/** Starts a server for the tests of a file, and gives them a client of it. Both end with the file. */
export function withRedis(give: (client: Redis) => void): void {
  let server: RedisServer;
  let client: Redis;

  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.port);
    give(client);
  });

  afterAll(async () => {
    await client.quit();
    await server.stop();
  });
}
