import { afterEach, expect, it } from '@jest/globals';
import { createLimiter, fixedWindow } from '@sluice/core';
import { Stage } from './stage.js';

const HOUR_MS = 3_600_000;

let stage: Stage;

afterEach(() => stage.clear());

it('B4: points per duration, a block, penalty and reward, and an insurance for an unreachable Redis', async () => {
  stage = await Stage.set();
  const points = fixedWindow({ limit: 5, window: '1h', blockDuration: '2h' });
  const limiter = createLimiter({ limit: points, store: stage.store({ timeout: 2000, instances: 2 }) });

  for (let i = 0; i < 5; i += 1) expect(await limiter.consume('ann')).toMatchObject({ allowed: true });
  const blocked = await limiter.consume('ann');
  expect(blocked).toMatchObject({ allowed: false, source: 'store', retryAfterMs: 2 * HOUR_MS });

  await limiter.consume('bob');
  await limiter.charge('bob', { cost: 3 });
  expect(await limiter.peek('bob')).toMatchObject({ tightest: { remaining: 1 } });
  await limiter.refund('bob', { cost: 2 });
  expect(await limiter.peek('bob')).toMatchObject({ source: 'store', tightest: { remaining: 3 } });

  await stage.server.kill();
  const insured = createLimiter({ name: 'insured', limit: points, store: stage.store({ instances: 2, timeout: 300 }) });
  // Its share of five, rounded up.
  for (const remaining of [2, 1, 0]) {
    expect(await insured.consume('ann')).toMatchObject({ allowed: true, source: 'local', tightest: { remaining } });
  }
  expect(await insured.consume('ann')).toMatchObject({ allowed: false, source: 'local', retryAfterMs: 2 * HOUR_MS });

  await stage.server.run();
  await stage.untilBack(insured, 'cid');
  expect(await insured.consume('ann')).toMatchObject({ allowed: true, source: 'store', tightest: { remaining: 4 } });
});
