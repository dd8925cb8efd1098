import { expect, it } from '@jest/globals';
import type { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { withMovableClock } from '@sluice/test-kit/redis/with-movable-clock';
import type { Redis } from 'ioredis';
import { compareFullRedis, type FullRedisDifference } from '../../src/redis/full-redis/compare-full-redis.js';
import { SimulatedRedis } from '../../src/redis/simulated-redis.js';
import { simulatedClient } from './simulated-client.js';

const SEEDS = [1, 23, 24, 28, 38];

/** Enough for each of these seeds to find a correction that is made by half. */
const RUNS = 60;

let real: Redis;
let serverClock: MovableClock;

withMovableClock((...given) => {
  [real, serverClock] = given;
});

function compareSimulated(seed: number): Promise<FullRedisDifference | undefined> {
  let nowMs = 0;
  const client = simulatedClient(new SimulatedRedis({ nowMs: () => nowMs }));
  const setServerTime = (ms: number): void => {
    nowMs = ms;
  };
  return compareFullRedis({ seed, runs: RUNS, client, setServerTime });
}

/** A defect that is known: while Redis is full, `lua/adjust.lua` makes a part of a correction of several limits, and remembers nothing. */
it('a full Redis makes some corrections by half, which the comparison finds from any seed', async () => {
  const differences = await Promise.all(SEEDS.map(compareSimulated));
  console.log(differences[0]?.story);
  for (const difference of differences) {
    const { operations, isFull } = difference?.scene.moments[difference.moment] ?? { operations: [], isFull: false };
    expect([isFull, operations.map(({ verb }) => verb)]).toEqual([true, ['adjust']]);
  }
});

it('a real Redis makes the same difference at the same moment', async () => {
  const [seed = 0] = SEEDS;
  const simulated = await compareSimulated(seed);
  expect(simulated).toBeDefined();
  const setServerTime = (ms: number): void => serverClock.standAt(ms);
  expect(await compareFullRedis({ seed, runs: RUNS, client: real, setServerTime })).toEqual(simulated);
});
