import { afterEach, it } from '@jest/globals';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { storesOver } from '../differential/stores-over.js';
import { CONNECT, type Connection } from './connections.js';

let server: RedisServer;
let connection: Connection | undefined;

withRedis((_, started) => {
  server = started;
});

afterEach(async () => {
  await connection?.end();
});

it.each(Object.entries(CONNECT))(
  'over %s, a store decides as in memory, whatever happens, to the last bit',
  async (name, connect) => {
    connection = await connect(server);
    await expectSameAsInMemory(storesOver(connection.client), name);
  },
  600_000,
);
