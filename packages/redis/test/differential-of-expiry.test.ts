import { expect, it, jest } from '@jest/globals';
import { scenes } from '@sluice/test-kit/differential/scenes';
import { Twins } from '@sluice/test-kit/differential/twins';
import type { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { withMovableClock } from '@sluice/test-kit/redis/with-movable-clock';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { storesOver, ttlsMs } from './differential/stores-over.js';

/** Without `SLUICE_RUNS`, the scenes are the same every time. With it, that many new ones are played. */
const SEED = 20_260_102;

let clock: MovableClock;
let client: Redis;

withMovableClock((...given) => {
  [client, clock] = given;
});

/** How many keys the server has let expire. */
async function expiredKeys(): Promise<number> {
  return Number(/^expired_keys:(\d+)/m.exec(await client.info('stats'))?.[1]);
}

it.each([
  ['one after another', false, 40, 2000],
  ['together', true, 25, 1200],
])(
  'decides in Redis as in memory, with its own clock, while keys expire: %s',
  async (way, isTogether, numRuns, leastSteps) => {
    // The memory store looks every few milliseconds of real time for what has ended. Here it looks when the clock moves.
    const looks: (() => void)[] = [];
    jest.spyOn(globalThis, 'setInterval').mockImplementation((look) => {
      looks.push(look as () => void);
      return { unref() {} } as never;
    });
    const dropEnded = (): void => {
      for (const look of looks) look();
    };
    const wanted = process.env.SLUICE_RUNS;
    const before = await expiredKeys();
    let plays = 0;
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        plays += 1;
        steps += scene.steps.length;
        looks.length = 0;
        await client.flushall();
        const server = { clock, ttlsMs: () => ttlsMs(client) };
        const stores = storesOver(client, 'server');
        const twins = new Twins(stores, `${way}-${plays}`, scene.places, { isTogether, server, dropEnded });
        await twins.play(scene.steps);
      }),
      wanted === undefined ? { numRuns, seed: SEED } : { numRuns: Number(wanted) },
    );
    expect((await expiredKeys()) - before).toBeGreaterThan(5 * plays);
    expect(steps).toBeGreaterThanOrEqual(wanted === undefined ? leastSteps : 1);
  },
  600_000_000,
);
