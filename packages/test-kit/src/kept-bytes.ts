import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** How often a change is made in each round: without `SLUICE_SUITES`, half as often, because it takes long. */
export const CHANGES = process.env.SLUICE_SUITES === 'full' ? 2000 : 1000;

/** So little stays of all of them together. */
export const MOST_KEPT_BYTES = 100 * 1024;

/** The first rounds also compile code. What stays of every change stays in each round. */
const ROUNDS = 10;

/** The bytes in use after everything that nobody refers to is gone: finalizers run between collections, which take most of the time. */
async function usedBytes(): Promise<number> {
  for (let i = 0; i < 3; i += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * Makes changes in rounds, until a round keeps no more bytes than it may. Returns the bytes of the round that kept least.
 *
 * @param begin - begins a round; returns the function that makes a change
 * @param changes - how often a change is made in each round
 */
export async function keptBytes(
  begin: (round: number) => (change: number) => unknown,
  changes = CHANGES,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  let before = await usedBytes();
  for (let round = 0; round < ROUNDS && least > MOST_KEPT_BYTES; round += 1) {
    const make = begin(round);
    for (let change = 0; change < changes; change += 1) await make(change);
    const after = await usedBytes();
    least = Math.min(least, after - before);
    before = after;
  }
  return least;
}
