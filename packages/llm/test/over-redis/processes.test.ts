import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { withRedis } from '@sluice/test-kit/redis/with-redis';
import { TestProgram } from '@sluice/test-kit/test-program';
import type { Redis } from 'ioredis';
import { type LlmPlan, readCall, usd } from '../../src/index.js';
import { PRICES, settleWith, usedOf } from '../limited.js';
import { jobOf, sharedLimiter } from './shared-limiter.js';
import type { Task } from './worker.js';

const TIMEOUT_MS = 180_000;

let client: Redis;
let server: RedisServer;
let program: TestProgram;
const workers: ChildProcess[] = [];

withRedis((started, given) => {
  client = started;
  server = given;
});

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'worker.ts'));
}, TIMEOUT_MS);
afterAll(() => program?.remove());

let last: ReturnType<typeof sharedLimiter> | undefined;

/** Makes the limiter of this process. The one before gives up its name. */
async function share(...options: Parameters<typeof sharedLimiter> extends [unknown, ...infer Rest] ? Rest : never) {
  await last?.store.close();
  last = sharedLimiter(client, ...options);
  return last;
}

beforeEach(() => client.flushall());
afterEach(async () => {
  await last?.store.close();
  last = undefined;
});
afterEach(async () => {
  const exits = workers
    .filter(({ exitCode, killed }) => exitCode === null && !killed)
    .map((worker) => once(worker, 'exit'));
  for (const worker of workers.splice(0)) if (worker.connected) worker.disconnect();
  await Promise.all(exits);
}, TIMEOUT_MS);

/** Starts so many processes that share the limits. */
async function start(processes: number): Promise<readonly ChildProcess[]> {
  const started = Array.from({ length: processes }, () => fork(program.path, [`${server.port}`], { execArgv: [] }));
  workers.push(...started);
  await Promise.all(started.map((worker) => once(worker, 'message')));
  return started;
}

/** Returns how many calls each process was admitted. */
async function reserve(processes: readonly ChildProcess[], task: Task): Promise<number[]> {
  const answers = processes.map((worker) => once(worker, 'message') as Promise<[number]>);
  for (const worker of processes) worker.send(task);
  return (await Promise.all(answers)).map(([admitted]) => admitted);
}

/** What the limits of a plan hold now. */
const usedNow = async (shared: ReturnType<typeof sharedLimiter>) => usedOf(await shared.limiter.peek(jobOf(1)));

describe('Four processes over one Redis', () => {
  it(
    'are admitted exactly 100 of 400 calls of 1,000 tokens at 100,000 a minute',
    async () => {
      const probe = await (await share({ tpm: 1e6 })).limiter.reserve(jobOf(0));
      const prompt = probe.tightest.cost;
      await client.flushall();
      const plan: LlmPlan = {
        rpm: 1000,
        tpm: 100_000,
        tpd: 1e9,
        perDay: usd('100'),
        models: { 'gpt-5.6': { tpm: 1e6 } },
      };
      const admitted = await reserve(await start(4), { calls: 100, tokens: 1000 - prompt, plan });
      expect(admitted.reduce((sum, calls) => sum + calls, 0)).toBe(100);
      expect(await usedNow(await share(plan))).toMatchObject({
        rpm: 100,
        tpm: 100_000,
        'model-tpm': 100_000,
      });
    },
    TIMEOUT_MS,
  );
});

describe('A process that is killed between its reservation and its settlement', () => {
  const PLAN: LlmPlan = { tpm: 1000, parallel: 1, perMonth: usd('1') };

  it(
    'leaves its slot until the lease ends, its tokens until the minute ends, and its estimate until the month ends',
    async () => {
      const [worker] = (await start(1)) as [ChildProcess];
      expect(await reserve([worker], { calls: 1, tokens: 100, plan: PLAN })).toEqual([1]);
      const exit = once(worker, 'exit');
      worker.kill('SIGKILL');
      await exit;

      const shared = await share(PLAN);
      const held = await usedNow(shared);
      const { inputCeiling: ceiling } = readCall(jobOf(100).body);
      expect(held).toMatchObject({ parallel: 1, perMonth: PRICES.most('gpt-5.6', { input: ceiling, output: 100 }) });
      expect((await shared.limiter.reserve(jobOf(1))).allowed).toBe(false);
      shared.clock.advance('30s');
      expect(await usedNow(shared)).toEqual({ ...held, parallel: 0 });
      shared.clock.advance('33s');
      expect(await usedNow(shared)).toEqual({ ...held, parallel: 0, tpm: 0 });
      shared.clock.advance('30d');
      expect(await usedNow(shared)).toEqual({ ...held, parallel: 0, tpm: 0 });
      shared.clock.advance('1d');
      expect(await usedNow(shared)).toEqual({ tpm: 0, parallel: 0, perMonth: 0 });
    },
    TIMEOUT_MS,
  );

  it('gives its estimate back if it lives on and its reservation expires', async () => {
    const shared = await share({ tpm: 1000, perMonth: usd('1') });
    await shared.limiter.reserve(jobOf(100), { expires: '15m', onExpiry: 'giveBack' });
    shared.clock.advance('15m');
    for (let tries = 0; tries < 1000 && (await usedNow(shared)).perMonth !== 0; tries += 1);
    expect(await usedNow(shared)).toEqual({ tpm: 0, perMonth: 0 });
  });
});

describe('One decision', () => {
  it('about eleven limits of a user, a model and an organisation, and what they hold, is one call of Redis, and so is its settlement', async () => {
    const plan: LlmPlan = { rpm: 9, tpm: 1e6, rpd: 99, parallel: 5, perDay: usd('1'), perMonth: usd('9') };
    const shared = await share(
      { ...plan, models: { 'gpt-5.6': { rpm: 5, tpm: 1e6 } } },
      { scopes: { org: { plan: { rpm: 99, tpm: 1e7, perMonth: usd('99') }, keyGenerator: () => 'acme' } } },
    );
    // The first one loads the script.
    await (await shared.limiter.reserve(jobOf(10))).cancel();
    const scripts = async (): Promise<number> => {
      const stats = await client.info('commandstats');
      return (
        Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]) +
        Number(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1] ?? 0)
      );
    };
    const before = await scripts();
    const reservation = await shared.limiter.reserve(jobOf(10));
    expect(reservation.verdicts.filter(({ name }) => !name.endsWith('held'))).toHaveLength(11);
    expect((await scripts()) - before).toBe(1);
    await settleWith(shared.llm, reservation, { input: 5, output: 5 });
    expect((await scripts()) - before).toBe(2);
    expect(usedOf(await shared.limiter.peek(jobOf(1)))).toMatchObject({
      tpm: 10,
      'model-tpm': 10,
      'org-tpm': 10,
      perDay: 55,
    });
  });
});
