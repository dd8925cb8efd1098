import { expect, it, jest } from '@jest/globals';
import { guaranteeScenes, plainScenes, scenes } from '@sluice/test-kit/differential/scenes';
import { Twins } from '@sluice/test-kit/differential/twins';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { CountedScripts } from './counted-scripts.js';
import { storesOver } from './differential/stores-over.js';

/** Without `SLUICE_RUNS`: the same scenes every time, of at least so many steps. With it: that many new ones. */
const SEED = 20_260_101;

let client: Redis;

withRedis((started) => {
  client = started;
});

it.each([
  ['one after another', false, scenes, 40, 1900, 25],
  ['together', true, scenes, 20, 750, 5],
  ['one after another, with plain limits', false, plainScenes, 20, 750, 150],
  ['together, with plain limits', true, plainScenes, 20, 750, 40],
  ['one after another, with guaranteed parts', false, guaranteeScenes, 12, 550, 0],
  ['together, with guaranteed parts', true, guaranteeScenes, 10, 400, 0],
])(
  'decides in Redis as in memory, whatever happens, to the last bit: %s',
  async (way, isTogether, scenes, numRuns, leastSteps, leastPlainCalls) => {
    // The memory store sweeps by real time what has expired, which a clock that goes back could call to life again.
    jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
    const wanted = process.env.SLUICE_RUNS;
    const counted = new CountedScripts(client);
    let plays = 0;
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        plays += 1;
        steps += scene.steps.length;
        await new Twins(storesOver(counted.client), `${way}-${plays}`, scene.places, { isTogether }).play(scene.steps);
      }),
      wanted === undefined ? { numRuns, seed: SEED } : { numRuns: Number(wanted) },
    );
    expect(steps).toBeGreaterThanOrEqual(wanted === undefined ? leastSteps : 1);
    const plainCalls = counted.calls - (await counted.generalCalls());
    expect(plainCalls).toBeGreaterThanOrEqual(wanted === undefined ? leastPlainCalls : 1);
  },
  600_000_000,
);
