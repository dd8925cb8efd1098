import { expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { countedSteps, limitsOfPolicies, playCounted } from '@sluice/test-kit/counted-script';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { RedisStore } from '../src/index.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

it('counts over Redis what the decisions add up to, also repeated refusals', async () => {
  let plays = 0;
  await fc.assert(
    fc.asyncProperty(countedSteps, fc.constantFrom(...limitsOfPolicies), async (script, limits) => {
      plays += 1;
      const clock = new ManualClock();
      const store = new RedisStore({ client, clock, prefix: `counted-${plays}:`, timeout: '10s' });
      const { counted, expected } = await playCounted(store, clock, `counted in Redis ${plays}`, limits, script);
      await store.close();
      expect(counted).toEqual(expected);
    }),
    { numRuns: 10, seed: 64 },
  );
});
