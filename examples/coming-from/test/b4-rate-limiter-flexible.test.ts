import { beforeEach, expect, it } from '@jest/globals';
import type { Limiter } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { createLogins, mayTry, penalize, remaining, reward } from '../src/b4-rate-limiter-flexible.js';
import { redisForTests } from './each-store.js';

const HOUR_MS = 3_600_000;

const redis = redisForTests();
let clock: ManualClock;
let logins: Limiter<string, true>;
let tests = 0;

beforeEach(() => {
  clock = new ManualClock();
  tests += 1;
  // Two stores of one client and prefix would be two limiters of one name.
  logins = createLogins({ client: redis.client, prefix: `test-${tests}:`, clock, timeout: '1s' });
});

async function tries(count: number, userName: string) {
  const answers = [];
  for (let i = 0; i < count; i += 1) answers.push(await mayTry(logins, userName));
  return answers;
}

it('B4: five points an hour are spent, and all are back when the hour is over', async () => {
  expect(await tries(5, 'ann')).toEqual([true, true, true, true, true]);
  expect(await remaining(logins, 'ann')).toBe(0);
  expect(await remaining(logins, 'bob')).toBe(5);
  clock.advance('1h');
  expect(await remaining(logins, 'ann')).toBe(5);
});

it('B4: the first refusal blocks for two hours, which later ones do not lengthen', async () => {
  await tries(5, 'ann');
  expect(await mayTry(logins, 'ann')).toEqual({ waitMs: 2 * HOUR_MS });
  clock.advance('90m');
  expect(await mayTry(logins, 'ann')).toEqual({ waitMs: HOUR_MS / 2 });
  clock.advance('30m');
  expect(await mayTry(logins, 'ann')).toBe(true);
});

it('B4: a penalty takes points without asking, and a reward gives some back', async () => {
  await penalize(logins, 'ann');
  await penalize(logins, 'ann');
  expect(await remaining(logins, 'ann')).toBe(1);
  await reward(logins, 'ann');
  expect(await remaining(logins, 'ann')).toBe(2);
  expect(await tries(3, 'ann')).toEqual([true, true, { waitMs: 2 * HOUR_MS }]);
});

it('B4: a limiter is insured: while Redis fails, each instance counts its half, and Redis decides again after that', async () => {
  await logins.consume('ann');
  await redis.server.kill();
  const answers = [];
  for (let i = 0; i < 4; i += 1) answers.push(await logins.consume('bob'));
  expect(answers.map(({ allowed, source }) => `${source} ${allowed}`)).toEqual([
    'local true',
    'local true',
    'local true', // half of five, rounded up
    'local false',
  ]);
  expect(answers[3]?.retryAfterMs).toBe(2 * HOUR_MS);

  await redis.server.run();
  for (;;) {
    const { source, tightest } = await logins.consume('cid');
    if (source === 'local') {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    expect({ source, remaining: tightest.remaining }).toEqual({ source: 'store', remaining: 4 });
    break;
  }
});
