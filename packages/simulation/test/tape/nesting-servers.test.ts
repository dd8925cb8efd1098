import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Clock } from '@sluice/core';
import { PostgresStore } from '@sluice/postgres';
import { RedisStore } from '@sluice/redis';
import { withPostgres } from '@sluice/test-kit/postgres/with-postgres';
import { RedisCluster } from '@sluice/test-kit/redis/redis-cluster';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import type { Cluster, Redis } from 'ioredis';
import type { Pool } from 'pg';
import { FEATURE_NAMES, FRONT_KINDS, featureOver, type StoreTree } from '../../src/tape/nesting.js';
import { SCENARIOS } from './feature-scenarios.js';
import { outcomeOf, played } from './played.js';
import { StoreFixture } from './store-fixture.js';
import { frontOf, listed } from './trees.js';

let redis: Redis;
let postgres: Pool;
let servers: RedisCluster;
let cluster: Cluster;

withRedis((client) => {
  redis = client;
});
withPostgres(async (client) => {
  postgres = client;
  await new PostgresStore({ client, table: 'second' }).createTable();
});

beforeAll(async () => {
  servers = await RedisCluster.start();
  cluster = servers.connect();
}, 180_000);

afterAll(async () => {
  cluster?.disconnect();
  await servers?.stop();
});

/** The nodes of a sharded store are places apart on one server. */
function fixtureOnServers(): StoreFixture {
  let nodes = 0;
  const options = (clock: Clock) => ({ clock, timeout: '10s' as const });
  const prefix = () => `node-${nodes++}:`;
  return new StoreFixture({
    redis: (clock) => new RedisStore({ client: redis, prefix: prefix(), ...options(clock) }),
    cluster: (clock) => new RedisStore({ client: cluster, prefix: prefix(), ...options(clock) }),
    postgres: (clock) =>
      new PostgresStore({ client: postgres, table: nodes++ === 0 ? 'sluice' : 'second', ...options(clock) }),
  });
}

const TREES = (['redis', 'cluster', 'postgres'] as const).flatMap((kind): StoreTree[] => [
  { kind },
  ...FRONT_KINDS.map((front) => frontOf(front, { kind })),
]);

describe.each(listed(TREES))('The table of features of %s on a server', (_, tree) => {
  it.each(FEATURE_NAMES)('says what becomes of %s', async (feature) => {
    for (const scenario of SCENARIOS[feature]) {
      expect(await played(scenario, tree, fixtureOnServers())).toEqual(outcomeOf(featureOver(feature, tree)));
    }
  });
});
