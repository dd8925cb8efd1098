import { expect, it, jest } from '@jest/globals';
import { leasableScenes } from '@sluice/test-kit/differential/scenes';
import { Twins } from '@sluice/test-kit/differential/twins';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { storesOver } from './differential/stores-over.js';
import { FORMS } from './forms.js';

let client: Redis;

withRedis((started) => {
  client = started;
});

it.each(Object.entries(FORMS))(
  'decides %s over Redis as over memory, whatever happens, to the last bit',
  async (form, wrap) => {
    // The memory store sweeps by real time what has expired, which a clock that goes back could call to life again.
    jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
    const wanted = process.env.SLUICE_RUNS;
    let plays = 0;
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(leasableScenes, async (scene) => {
        plays += 1;
        steps += scene.steps.length;
        await new Twins(storesOver(client), `${form}-${plays}`, scene.places, { wrap }).play(scene.steps);
      }),
      wanted === undefined ? { numRuns: 14, seed: 20_260_101 } : { numRuns: Number(wanted) },
    );
    expect(steps).toBeGreaterThanOrEqual(wanted === undefined ? 500 : 1);
  },
  600_000_000,
);
