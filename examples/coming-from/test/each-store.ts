import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import { MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';

/** A clock, and a store that uses it. */
export interface Stage {
  clock: ManualClock;
  store: Store;
}

/** Starts a Redis for the tests around this call, and empties it before each of them. */
export function redisForTests(): { readonly client: Redis; readonly server: RedisServer } {
  const made = {} as { client: Redis; server: RedisServer };
  beforeAll(async () => {
    made.server = await RedisServer.start();
    made.client = new Redis(made.server.port, { retryStrategy: () => 50 });
    // Some tests stop the server on purpose.
    made.client.on('error', () => {});
  });
  beforeEach(async () => {
    await made.client.flushall();
  });
  afterAll(async () => {
    made.client.disconnect();
    await made.server.stop();
  });
  return made;
}

/** The same tests in memory and over a Redis. */
export function describeOnEachStore(tests: (stage: Stage) => void): void {
  describe('in memory', () => {
    const stage = {} as Stage;
    beforeEach(() => {
      stage.clock = new ManualClock();
      stage.store = new MemoryStore({ clock: stage.clock });
    });
    tests(stage);
  });

  describe('over Redis', () => {
    const stage = {} as Stage;
    const redis = redisForTests();
    beforeEach(() => {
      stage.clock = new ManualClock();
      // Every decision has to come from Redis, however slow this machine is.
      stage.store = new RedisStore({ client: redis.client, clock: stage.clock, timeout: '30s' });
    });
    afterEach(() => stage.store.close());
    tests(stage);
  });
}
