import { expect, it, jest } from '@jest/globals';
import { guaranteeScenes, plainScenes, scenes } from '@sluice/test-kit/differential/scenes';
import { Twins } from '@sluice/test-kit/differential/twins';
import fc from 'fast-check';
import { storesOver } from '../../../redis/test/differential/stores-over.js';
import { SimulatedRedis } from '../../src/redis/simulated-redis.js';
import { simulatedClient } from './simulated-client.js';

/** Without `SLUICE_RUNS`: the same scenes every time. With it: that many new ones. */
const SEED = 20_260_501;

it.each([
  ['any limits', scenes],
  ['plain limits', plainScenes],
  ['guaranteed parts', guaranteeScenes],
])(
  'a store decides on a simulated server as in memory, to the last bit: %s',
  async (_, scenes) => {
    // The memory store sweeps by real time what has expired, which a clock that goes back could call to life again.
    jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
    const wanted = process.env.SLUICE_RUNS;
    let plays = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        plays += 1;
        const client = simulatedClient(new SimulatedRedis({ nowMs: () => Date.now() }));
        await new Twins(storesOver(client), `twins-${plays}`, scene.places).play(scene.steps);
      }),
      wanted === undefined ? { numRuns: 4, seed: SEED, endOnFailure: true } : { numRuns: Number(wanted) },
    );
    expect(plays).toBeGreaterThan(0);
  },
  600_000_000,
);
