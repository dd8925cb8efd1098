import { afterAll, afterEach, beforeAll, describe, it } from '@jest/globals';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { storesOver } from '../differential/stores-over.js';
import type { Connection } from './connection.js';
import { CONNECT } from './connections.js';
import { CONNECT_CLUSTER } from './connections-to-cluster.js';
import { IS_FULL } from './over-client.js';

let connection: Connection | undefined;

afterEach(async () => {
  await connection?.end();
});

const PATIENCE_MS = 600_000;

/** What counts is the same over all clients, and tried elsewhere: CI tries here how they send and read. */
const SCENES = IS_FULL ? undefined : 20;

describe('over one server', () => {
  let server: RedisServer;

  withRedis((_, started) => {
    server = started;
  });

  it.each(Object.entries(CONNECT))(
    'by %s, a store decides as in memory, whatever happens, to the last bit',
    async (name, connect) => {
      connection = await connect(server);
      await expectSameAsInMemory(storesOver(connection.client), name, SCENES);
    },
    PATIENCE_MS,
  );
});

/** A cluster takes long to start. */
function overCluster(): void {
  let cluster: RedisCluster;

  beforeAll(async () => {
    cluster = await RedisCluster.start();
  }, PATIENCE_MS);

  afterAll(() => cluster.stop());

  it.each(Object.entries(CONNECT_CLUSTER))(
    'by %s, a store decides as in memory, whatever happens, to the last bit',
    async (name, connect) => {
      connection = await connect(cluster.servers);
      await expectSameAsInMemory(storesOver(connection.client), name);
    },
    PATIENCE_MS,
  );
}

if (IS_FULL) describe('over a cluster', overCluster);
