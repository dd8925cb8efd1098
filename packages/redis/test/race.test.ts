import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { build } from 'esbuild';
import type { Finish, Heat } from './race/racer.js';
import { RedisServer } from './redis-server.js';

const PROCESSES = 8;
const REQUESTS = 200;

const HOUR = { limit: 100, window: '1h' };
const LIMITS: Readonly<Record<string, Limit>> = {
  'a sliding window': slidingWindow(HOUR),
  'a sliding window log': slidingWindowLog(HOUR),
  'a sliding window counter': slidingWindowCounter(HOUR),
  'a fixed window': fixedWindow(HOUR),
  'a fixed window by the clock': fixedWindow({ ...HOUR, align: 'clock' }),
  'a token bucket': tokenBucket({ capacity: 100, refillRate: 0 }),
  'a leaky bucket': leakyBucket({ capacity: 100, leakRate: 0.001 }),
  'a concurrency limit': concurrency({ limit: 100, lease: '1h' }),
};

const folder = mkdtempSync(join(tmpdir(), 'sluice-race-'));
let server: RedisServer;
let racers: ChildProcess[] = [];

beforeAll(async () => {
  const program = join(folder, 'racer.cjs');
  // From source, as one script: the tests need no build.
  await build({
    entryPoints: [join(__dirname, 'race/racer.ts')],
    bundle: true,
    platform: 'node',
    conditions: ['@sluice/source'],
    outfile: program,
    logLevel: 'error',
  });
  server = await RedisServer.start();
  racers = Array.from({ length: PROCESSES }, () => fork(program, [`${server.port}`], { execArgv: [] }));
  await Promise.all(racers.map((racer) => once(racer, 'message')));
}, 60_000);

afterAll(async () => {
  const exits = racers.map((racer) => once(racer, 'exit'));
  for (const racer of racers) racer.disconnect();
  await Promise.all(exits);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

async function race(heat: Heat): Promise<Finish[]> {
  const finished = racers.map((racer) => once(racer, 'message') as Promise<[Finish]>);
  for (const racer of racers) racer.send(heat);
  return (await Promise.all(finished)).map(([finish]) => finish);
}

const checkOf = (name: string, limit: Limit): Check => ({ policy: 'race', name, key: 'ann', limit, cost: 1 });
const sum = (finishes: readonly Finish[]): number => finishes.reduce((total, { admitted }) => total + admitted, 0);

it.each(Object.entries(LIMITS))(
  'admits exactly 100 of 1,600 requests of eight processes under %s',
  async (name, limit) => {
    const finishes = await race({ kind: 'ask', check: checkOf(name, limit), count: REQUESTS });
    expect(sum(finishes)).toBe(100);
  },
  60_000,
);

it('never gives out more slots than there are, while eight processes take and free them', async () => {
  const check = checkOf('held', concurrency({ limit: 10, lease: '1h' }));
  const finishes = await race({ kind: 'hold', check, count: REQUESTS });
  const again = await race({ kind: 'hold', check, count: REQUESTS });
  expect(sum(finishes) + sum(again)).toBeGreaterThan(10);
  expect(Math.max(...[...finishes, ...again].map(({ most }) => most))).toBeLessThanOrEqual(10);
}, 60_000);
