import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Limiter, MemoryStore, slidingWindowLog } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import {
  checkUser,
  createCounter,
  createCountingLog,
  createLog,
  createSlidingWindow,
  createTokenBucket,
} from '../src/own-scripts.js';
import { describeOnEachStore, redisForTests } from './each-store.js';

/** The scripts that the page shows, in the order in which it shows them. */
const PAGE = readFileSync(join(__dirname, '../../../packages/core/docs/coming-from/own-limiter.md'), 'utf8');
const [COUNTER, LOG, BUCKET] = [...PAGE.matchAll(/^```lua\n([\s\S]*?)^```/gm)].map(
  ([, script]) => script as string,
) as [string, string, string];

const admitted = (answers: readonly boolean[]): number => answers.filter(Boolean).length;

const atOnce = (count: number, ask: (i: number) => Promise<boolean>): Promise<boolean[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)));

const isAllowed = async (limiter: Limiter<string>, cost = 1): Promise<boolean> =>
  (await limiter.consume('ann', { cost })).allowed;

describeOnEachStore((stage) => {
  it('S2: of 50 at once ten pass, and the others throw', async () => {
    const users = createCounter(stage.store);
    const asked = await Promise.allSettled(Array.from({ length: 50 }, () => checkUser(users, 'ann')));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    await expect(checkUser(users, 'ann')).rejects.toThrow('Rate limit exceeded, try again in 60000 ms');
    await checkUser(users, 'bob');
    stage.clock.advance(60_000);
    await checkUser(users, 'ann');
  });

  it('S3: ten pass in any minute, also around an edge', async () => {
    const log = createLog(stage.store);
    stage.clock.advance('59s');
    expect(admitted(await atOnce(50, () => isAllowed(log)))).toBe(10);
    stage.clock.advance('2s');
    expect(admitted(await atOnce(50, () => isAllowed(log)))).toBe(0);
    stage.clock.advance('58s');
    expect(admitted(await atOnce(50, () => isAllowed(log)))).toBe(10);
  });

  it('S4: two at once of which one fits', async () => {
    const users = createCounter(stage.store);
    for (let i = 0; i < 9; i += 1) await users.consume('ann');
    expect(admitted(await atOnce(2, () => isAllowed(users)))).toBe(1);
  });

  it('S5: a hundred units of a sliding window are spent by calls of different cost', async () => {
    const window = createSlidingWindow(stage.store);
    expect([await isAllowed(window, 60), await isAllowed(window, 41), await isAllowed(window, 40)]).toEqual([
      true,
      false,
      true,
    ]);
    stage.clock.advance('63s');
    expect(await isAllowed(window, 100)).toBe(true);
  });

  it('S5: a token bucket of a hundred gets ten back each second', async () => {
    const bucket = createTokenBucket(stage.store);
    expect([await isAllowed(bucket, 100), await isAllowed(bucket)]).toEqual([true, false]);
    stage.clock.advance('1s');
    expect([await isAllowed(bucket, 11), await isAllowed(bucket, 10)]).toEqual([false, true]);
    stage.clock.advance('100s');
    expect(await isAllowed(bucket, 100)).toBe(true);
  });

  it('S15: of two a minute, the third is refused but kept, and a request at 1:30 passes', async () => {
    const log = createCountingLog(stage.store);
    const startMs = stage.clock.now();
    const answers: boolean[] = [];
    for (const second of [1, 30, 40, 90]) {
      stage.clock.set(startMs + second * 1000);
      answers.push(await isAllowed(log));
    }
    expect(answers).toEqual([true, true, false, true]);
    // The one at 0:40 counts until 1:40. Without it, one more would fit.
    const { allowed, retryAfterMs } = await log.peek('ann');
    expect([allowed, retryAfterMs]).toEqual([false, 10_000]);
  });
});

describe('beside the scripts themselves', () => {
  const redis = redisForTests();
  let clock: ManualClock;

  beforeEach(() => {
    clock = new ManualClock();
  });

  const run = async (script: string, ...values: readonly (string | number)[]): Promise<boolean> =>
    (await redis.client.eval(script, 1, 'rate_limit:user:ann', ...values)) === 1;

  it('S2: the key lives 60,000 ms, as that of the script', async () => {
    const users = createCounter(new RedisStore({ client: redis.client, timeout: '30s' }));
    expect(admitted(await atOnce(50, () => run(COUNTER, 10, 60_000)))).toBe(10);
    expect(admitted(await atOnce(50, () => isAllowed(users)))).toBe(10);
    const keys = ['rate_limit:user:ann', 'sluice:1:fw:user:user:{ann}'];
    for (const key of keys) {
      const livesMs = await redis.client.pttl(key);
      expect(livesMs).toBeLessThanOrEqual(60_000);
      expect(livesMs).toBeGreaterThan(50_000);
    }
  });

  it('S4: where a program reads, compares and increments, an eleventh passes', async () => {
    const key = 'count:ann';
    await redis.client.set(key, 9);
    const counts = await atOnce(2, async () => {
      if (Number(await redis.client.get(key)) >= 10) return false;
      await redis.client.incr(key);
      return true;
    });
    expect(admitted(counts)).toBe(2);
    expect(await redis.client.get(key)).toBe('11');
  });

  /** Requests at random moments, with random costs. */
  async function sameAnswers(
    limiter: Limiter<string>,
    script: (nowMs: number, cost: number, id: number) => Promise<boolean>,
    mostCost: number,
  ): Promise<number> {
    const random = seededRandom(7);
    let refused = 0;
    for (let i = 0; i < 300; i += 1) {
      clock.advance(Math.floor(random() * 40) * 100);
      const cost = 1 + Math.floor(random() * mostCost);
      const here = await isAllowed(limiter, cost);
      expect([i, here]).toEqual([i, await script(clock.now(), cost, i)]);
      if (!here) refused += 1;
    }
    return refused;
  }

  it('S3: decides as the sorted set about 300 requests', async () => {
    const log = createLog(new MemoryStore({ clock }));
    const script = (nowMs: number, cost: number, id: number) => run(LOG, 10, 60_000, nowMs, cost, id);
    expect(await sameAnswers(log, script, 1)).toBeGreaterThan(30);
  });

  it('S5: slidingWindowLog decides as the sorted set with a cost, about 300 requests', async () => {
    const limit = slidingWindowLog({ limit: 100, window: '60s' });
    const log = createLimiter({ limit, store: new MemoryStore({ clock }) });
    const script = (nowMs: number, cost: number, id: number) => run(LOG, 100, 60_000, nowMs, cost, id);
    expect(await sameAnswers(log, script, 20)).toBeGreaterThan(30);
  });

  it('S5: decides as the token bucket about 300 requests', async () => {
    const bucket = createTokenBucket(new MemoryStore({ clock }));
    const script = (nowMs: number, cost: number) => run(BUCKET, 100, 10, nowMs, cost);
    expect(await sameAnswers(bucket, script, 60)).toBeGreaterThan(30);
  });
});
