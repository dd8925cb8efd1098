import { afterEach, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { admittedOf, Stage, sleep } from './stage.js';

const options = { limit: 5000, window: '1h' } as const;

let stage: Stage;

afterEach(() => stage.clear());

it('Killed connections under load lose no decision, and Redis has charged everything that it admitted', async () => {
  stage = await Stage.set();
  const limiter = createLimiter({ ...options, store: stage.store() });
  const killer = stage.client();
  await stage.untilBack(limiter);
  let isLoading = true;
  const killing = (async () => {
    while (isLoading) {
      await killer.call('CLIENT', ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes']);
      await sleep(100);
    }
  })();
  await stage.askFor(limiter, 500);
  isLoading = false;
  await killing;
  await stage.untilBack(limiter);
  stage.expectAllInTime();
  const byRedis = admittedOf(stage.answers.filter(({ source }) => source === 'store'));
  expect(options.limit - (await stage.remaining(options, 'ann'))).toBeGreaterThanOrEqual(byRedis);
});
