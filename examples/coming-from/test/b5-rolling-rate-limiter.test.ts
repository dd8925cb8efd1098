import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Limiter } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { RedisStore } from '@sluice/redis';
import type { Redis } from 'ioredis';
import { createNotifications, limitWithInfo } from '../src/b5-rolling-rate-limiter.js';
import { redisForTests } from './each-store.js';

const redis = redisForTests();
let clock: ManualClock;
let clients: Redis[];
let workers: [Limiter<string, true>, Limiter<string, true>];

beforeEach(() => {
  clock = new ManualClock();
  // Each worker has a connection of its own.
  clients = [redis.client.duplicate(), redis.client.duplicate()];
  const [one, other] = clients.map((client) => createNotifications(new RedisStore({ client, clock, timeout: '30s' })));
  workers = [one, other] as typeof workers;
});

afterEach(() => {
  for (const client of clients) client.disconnect();
});

it('B5: ten that come three seconds apart pass, whichever worker sends them, and the eleventh a minute after the first', async () => {
  for (let i = 0; i < 10; i += 1) {
    expect(await limitWithInfo(workers[i % 2 ? 1 : 0], 'ann')).toMatchObject({
      blocked: false,
      actionsRemaining: 9 - i,
    });
    clock.advance('3s');
  }
  expect(await workers[0].peek('ann')).toMatchObject({ allowed: false, retryAfterMs: 30_000 });
  clock.advance('30s');
  expect(await limitWithInfo(workers[1], 'ann')).toMatchObject({ blocked: false });
});

it('B5: an early action at another worker is blocked, and counts', async () => {
  await limitWithInfo(workers[0], 'ann');
  clock.advance('1s');
  expect(await limitWithInfo(workers[1], 'ann')).toEqual({
    blocked: true,
    blockedDueToCount: false,
    blockedDueToMinDifference: true,
    millisecondsUntilAllowed: 3000,
    actionsRemaining: 8,
  });
  expect((await limitWithInfo(workers[0], 'bob')).blocked).toBe(false);
});

it('B5: one of many simultaneous actions passes', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => limitWithInfo(workers[i % 2 ? 1 : 0], 'ann')));
  expect(answers.filter(({ blocked }) => !blocked)).toHaveLength(1);
});

it('B5: a client that never stops is admitted again within two minutes, because refusals count for one minute after an admission', async () => {
  const sentAtMs: number[] = [];
  const startMs = clock.now();
  for (let i = 0; i < 600; i += 1) {
    if (!(await limitWithInfo(workers[0], 'ann')).blocked) sentAtMs.push(clock.now() - startMs);
    clock.advance('500ms');
  }
  expect(sentAtMs.length).toBeGreaterThan(1);
  expect(Math.max(...sentAtMs.slice(1).map((ms, i) => ms - (sentAtMs[i] as number)))).toBeLessThanOrEqual(120_000);
});

it('S14: a client that asks every half second for 50 s and then is silent is admitted again after 105.5 s', async () => {
  const notifications = createNotifications(new RedisStore({ client: redis.client, clock, timeout: '30s' }), 'always');
  const startMs = clock.now();
  const attemptsMs: number[] = [];
  const admittedMs: number[] = [];
  for (let ms = 0; ms <= 50_000; ms += 500) {
    clock.set(startMs + ms);
    if ((await notifications.consume('ann')).allowed) admittedMs.push(ms);
    // What rolling-rate-limiter says: its sorted set has every attempt.
    expect(admittedMs.at(-1) === ms).toBe(admitsThere(attemptsMs, ms));
    attemptsMs.push(ms);
  }
  expect(admittedMs).toEqual([0]);
  const { verdicts, retryAfterMs } = await notifications.peek('ann');
  expect([retryAfterMs, verdicts[1]?.allowed]).toEqual([105_500 - 50_000, false]);
  for (const [ms, allowed] of [
    [105_499, false],
    [105_500, true],
  ] as const) {
    clock.set(startMs + ms);
    expect([ms, (await notifications.peek('ann')).allowed, admitsThere(attemptsMs, ms)]).toEqual([
      ms,
      allowed,
      allowed,
    ]);
  }
  expect(attemptsMs.filter((ms) => ms > 105_500 - 60_000)).toHaveLength(9);
});

/** At most ten attempts in a minute, and the last one three seconds ago, where every attempt counts. */
function admitsThere(attemptsMs: readonly number[], nowMs: number): boolean {
  const inMinute = attemptsMs.filter((ms) => ms > nowMs - 60_000);
  return inMinute.length < 10 && (inMinute.at(-1) ?? Number.NEGATIVE_INFINITY) <= nowMs - 3000;
}
