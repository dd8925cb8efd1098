import { jest } from '@jest/globals';
import fc from 'fast-check';
import { scenes } from './scenes.js';
import { type NewStore, Twins } from './twins.js';

/** The same scenes over every store and every client. */
const SEED = 20_261_129;

/** CI plays the beginning of 50 scenes over each. `npm run proof -- stores` plays more scenes, to their end. */
const [SCENES, STEPS] = process.env.SLUICE_SUITES === 'full' ? [200, Number.POSITIVE_INFINITY] : [50, 15];

/**
 * Plays scenes in memory and over another store, and expects the same decisions, to the last bit.
 *
 * @param subject - of these scenes alone
 * @param count - how many scenes are played, if it is not as many as over all stores
 */
export async function expectSameAsInMemory(newStore: NewStore, subject: string, count = SCENES): Promise<void> {
  // The memory store sweeps by real time what has expired, which a clock that goes back could call to life again.
  const interval = jest.spyOn(globalThis, 'setInterval').mockReturnValue({ unref() {} } as never);
  let plays = 0;
  await fc.assert(
    fc.asyncProperty(scenes, async ({ places, steps }) => {
      plays += 1;
      await new Twins(newStore, `${subject}-${plays}`, places).play(steps.slice(0, STEPS));
    }),
    { numRuns: count, seed: SEED },
  );
  interval.mockRestore();
}
