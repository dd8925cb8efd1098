import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type Check,
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { Race } from '../../redis/test/race/race.js';
import type { Finish } from '../../redis/test/race/racer.js';
import { PostgresStore } from '../src/index.js';
import { PostgresServer } from './postgres-server.js';

const PROCESSES = 8;
const REQUESTS = 200;

const HOUR = { limit: 100, window: '1h' };
const LIMITS: Readonly<Record<string, Limit>> = {
  'a sliding window': slidingWindow(HOUR),
  'a sliding window log': slidingWindowLog(HOUR),
  'a sliding window counter': slidingWindowCounter(HOUR),
  'a fixed window': fixedWindow(HOUR),
  'a token bucket': tokenBucket({ capacity: 100, refillRate: 0 }),
  'a leaky bucket': leakyBucket({ capacity: 100, leakRate: 0.001 }),
  'a concurrency limit': concurrency({ limit: 100, lease: '1h' }),
  'together with a limit of each process': slidingWindow(HOUR),
};

let server: PostgresServer;
let race: Race;

beforeAll(async () => {
  server = await PostgresServer.start();
  const client = server.pool();
  await new PostgresStore({ client }).createTable();
  await client.query('CREATE TABLE holders AS SELECT 0 AS held');
  race = await Race.of(PROCESSES, [`${server.port}`], '../../postgres/test/race/racer.ts');
}, 180_000);

afterAll(async () => {
  await race?.end();
  await server?.stop();
}, 180_000);

const checkOf = (name: string, limit: Limit): Check => ({ policy: 'race', name, key: 'ann', limit, cost: 1 });
const sum = (finishes: readonly Finish[]): number => finishes.reduce((total, { admitted }) => total + admitted, 0);

it.each(Object.entries(LIMITS))(
  'admits exactly 100 of 1,600 requests of eight processes under %s',
  async (name, limit) => {
    const finishes = await race.run({ kind: 'ask', check: checkOf(name, limit), count: REQUESTS });
    expect(sum(finishes)).toBe(100);
  },
  180_000,
);

it('never gives out more slots than there are, while eight processes take and free them', async () => {
  const check = checkOf('held', concurrency({ limit: 10, lease: '1h' }));
  const finishes = await race.run({ kind: 'hold', check, count: REQUESTS });
  const again = await race.run({ kind: 'hold', check, count: REQUESTS });
  expect(sum(finishes) + sum(again)).toBeGreaterThan(10);
  expect(Math.max(...[...finishes, ...again].map(({ most }) => most))).toBeLessThanOrEqual(10);
}, 180_000);
