import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import type { MovableClock } from './movable-clock.js';
import { RedisServer } from './redis-server.js';

/** Long enough for a slow machine to start a server. */
const TIMEOUT_MS = 180_000;

/**
 * Starts a server for the tests of a file, and gives them a client of it. Both end with the file.
 *
 * @param newClock - makes the clock of the server; by default it has the machine's.
 */
export function withRedis(give: (client: Redis, server: RedisServer) => void, newClock?: () => MovableClock): void {
  let clock: MovableClock | undefined;
  let server: RedisServer | undefined;
  let client: Redis | undefined;

  beforeAll(async () => {
    clock = newClock?.();
    server = await RedisServer.start([], clock);
    client = new Redis(server.nearest);
    give(client, server);
  }, TIMEOUT_MS);

  afterAll(async () => {
    client?.disconnect();
    await server?.stop();
    clock?.remove();
  }, TIMEOUT_MS);
}
