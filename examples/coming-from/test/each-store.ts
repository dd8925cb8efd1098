import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import { MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { Redis } from 'ioredis';

/** A clock, and a store that lives by it. */
export interface Stage {
  clock: ManualClock;
  store: Store;
}

/** A Redis of its own for the tests around, empty before each of them. */
export function redisForTests(): { readonly client: Redis; readonly server: RedisServer } {
  const made = {} as { client: Redis; server: RedisServer };
  beforeAll(async () => {
    made.server = await RedisServer.start();
    made.client = new Redis(made.server.port, { retryStrategy: () => 50 });
    // A server that is gone is what some tests are about.
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
      // No answer is to come from anywhere but Redis, however slow this machine is.
      stage.store = new RedisStore({ client: redis.client, clock: stage.clock, timeout: '30s' });
    });
    afterEach(() => stage.store.close());
    tests(stage);
  });
}
