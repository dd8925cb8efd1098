import { expect, it } from '@jest/globals';
import type { MovableClock } from '@sluice/test-kit/redis/movable-clock';
import { withMovableClock } from '@sluice/test-kit/redis/with-movable-clock';
import type { Redis } from 'ioredis';
import { compareFullRedis, type FullRedisDifference } from '../../src/redis/full-redis/compare-full-redis.js';
import { SimulatedRedis } from '../../src/redis/simulated-redis.js';
import { simulatedClient } from './simulated-client.js';

/** If corrections are made key by key, each of these seeds finds one that is made by half, within ten runs. */
const [SEEDS, RUNS] = process.env.SLUICE_SUITES === 'full' ? [[1, 23, 24, 28, 38], 60] : [[23], 20];

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

it('a full Redis makes each request and each correction of several limits as a whole, or not at all', async () => {
  const differences = await Promise.all(SEEDS.map(compareSimulated));
  expect(differences.map((difference) => difference?.story)).toEqual(SEEDS.map(() => undefined));
});

it('a real Redis does so, too', async () => {
  const [seed = 0] = SEEDS;
  const setServerTime = (ms: number): void => serverClock.standAt(ms);
  const difference = await compareFullRedis({ seed, runs: RUNS, client: real, setServerTime });
  expect(difference?.story).toBeUndefined();
});

it('a real Redis does so with the clock of a test, which takes more commands', async () => {
  const difference = await compareFullRedis({ seed: 23, runs: RUNS, client: real });
  expect(difference?.story).toBeUndefined();
});
