import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { TestProgram } from '@sluice/test-kit/test-program';
import type { Orders, Work } from './lines/worker.js';

/** The full form needs a machine with nothing else to do: see `npm run proof`. */
const IS_FULL = process.env.SLUICE_LINES === 'full';
const PROCESSES = IS_FULL ? 8 : 2;
const ORDERS: Orders = { name: 'jobs', jobs: IS_FULL ? 500 : 100, capacity: 100, perSecond: 500 };
const TIMEOUT_MS = 120_000;

let server: RedisServer;
let program: TestProgram;
let workers: readonly ChildProcess[] = [];

withRedis((_, given) => {
  server = given;
});

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'lines/worker.ts'));
  workers = Array.from({ length: PROCESSES }, () => fork(program.path, [`${server.port}`], { execArgv: [] }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
}, TIMEOUT_MS);

afterAll(async () => {
  const exits = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.disconnect();
  await Promise.all(exits);
  program.remove();
}, TIMEOUT_MS);

it(
  'lines of several processes keep one limit together, and ask little more than once for each job',
  async () => {
    const results = workers.map((worker) => once(worker, 'message') as Promise<[Work]>);
    for (const worker of workers) worker.send(ORDERS);
    const works = (await Promise.all(results)).map(([work]) => work);
    const sum = (of: (work: Work) => number): number => works.reduce((total, work) => total + of(work), 0);
    const jobs = PROCESSES * ORDERS.jobs;
    const tookMs = Math.max(...works.map(({ toMs }) => toMs)) - Math.min(...works.map(({ fromMs }) => fromMs));
    const asksPerJob = sum(({ asks }) => asks) / jobs;
    expect(sum(({ done }) => done)).toBe(jobs);
    // The bound of the bucket, over the whole time: what is admitted is at most the capacity and the refill. A millisecond
    // is for the clocks of two programs.
    expect(tookMs).toBeGreaterThanOrEqual(((jobs - ORDERS.capacity) / ORDERS.perSecond) * 1000 - 1);
    expect(asksPerJob).toBeLessThanOrEqual(2.2);
    if (!IS_FULL) return;
    process.stdout.write(`lines: ${jobs} jobs in ${Math.round(tookMs)} ms, ${asksPerJob.toFixed(2)} asks each\n`);
    expect(tookMs).toBeLessThanOrEqual((jobs / ORDERS.perSecond) * 1000 * 1.03);
  },
  TIMEOUT_MS,
);
