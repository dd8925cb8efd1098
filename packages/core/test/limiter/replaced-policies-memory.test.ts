import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { createLimiter, MemoryStore, replacePolicy } from '../../src/index.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const RELOADS = 2000;
const MOST_BYTES = 100 * 1024;

/** The bytes in use after everything that nobody refers to is gone: finalizers run between collections. */
async function usedBytes(): Promise<number> {
  for (let i = 0; i < 4; i += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it.each([
  ['with the names of its limits', () => 'hour'],
  ['with a new name of a limit each time', (i: number) => `hour ${i}`],
])(
  '2,000 replacements of a policy %s keep at most 100 KB',
  async (way, nameOf) => {
    const store = closedAfterTest(new MemoryStore({ maxKeys: 10 }));
    let least = Number.POSITIVE_INFINITY;
    // The first rounds also compile code. What stays of every policy stays in each round.
    for (let round = 0; round < 8 && least > MOST_BYTES; round += 1) {
      const options = {
        name: `${way}, ${round}`,
        limits: [{ name: 'first', limit: 10, window: '1h' }],
        store,
      } as const;
      const limiter = createLimiter(options);
      const before = await usedBytes();
      for (let i = 0; i < RELOADS; i += 1) {
        replacePolicy(options, { limits: [{ name: nameOf(i), limit: 10 + i, window: '1h' }] });
        limiter.consume('ann');
      }
      least = Math.min(least, (await usedBytes()) - before);
    }
    expect(least).toBeLessThanOrEqual(MOST_BYTES);
  },
  60_000,
);
