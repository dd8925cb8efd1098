import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, subscribe } from '@sluice/core';
import { CHOICES, Stage, sourcesOf } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

describe('If Redis is missing at the start', () => {
  it.each(CHOICES)(
    'the policy decides by onStoreError %s, and Redis decides when it has started',
    async (onStoreError) => {
      stage = await Stage.set();
      await stage.server.kill();
      const limiter = createLimiter({ limit: 1000, window: '1h', onStoreError, store: stage.store() });
      expect(sourcesOf(await stage.askFor(limiter, 250))).toEqual(new Set([onStoreError]));
      await stage.server.run();
      await stage.untilBack(limiter);
      stage.expectAllInTime();
    },
  );

  it('the error says that it is unreachable, and not that it is slow', async () => {
    stage = await Stage.set();
    await stage.server.kill();
    const messages = new Set<string>();
    const stop = subscribe('sluice:store-error', ({ error }) => messages.add((error as Error).message));
    const limiter = createLimiter({ limit: 1000, window: '1h', store: stage.store() });
    await limiter.consume('ann');
    stop();
    expect([...messages]).toEqual([
      expect.stringMatching(/did not answer in time: the Redis client is not connected, its status is \w+ \(/),
    ]);
  });
});
