import { afterEach, expect, it } from '@jest/globals';
import { chargeOf, createLimiter, everyone, slidingWindow } from '@sluice/core';
import { expectLocalDecisions, Stage } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

it('While Redis is full and evicts nothing, the policy decides, and the error names the fix; then Redis decides', async () => {
  stage = await Stage.set('--maxmemory-policy', 'noeviction');
  await expectLocalDecisions(stage, {
    begin: (client) => client.config('SET', 'maxmemory', '1'),
    end: (client) => client.config('SET', 'maxmemory', '0'),
    explained: 'raise its maxmemory',
  });
});

it('While Redis is full, a correction of two limits is made on neither, and its repetition gives nothing of others away', async () => {
  stage = await Stage.set('--maxmemory-policy', 'noeviction');
  const client = stage.client();
  const limiter = createLimiter<string>({
    name: 'exports',
    // Without units, the key of a user is deleted, which a full Redis allows.
    limits: [
      { limit: slidingWindow({ limit: 100, window: '1h', name: 'all' }), keyGenerator: everyone() },
      slidingWindow({ limit: 10, window: '1h', name: 'user' }),
    ],
    store: stage.store({ client, timeout: 5000 }),
  });
  const left = async (): Promise<number[]> => (await limiter.peek('ann')).verdicts.map(({ remaining }) => remaining);
  const charge = chargeOf(await limiter.reserve('ann', { cost: 5 }));
  if (!charge) throw new Error('nothing was charged');
  await limiter.consume('bob', { cost: 7 });
  await client.config('SET', 'maxmemory', '1');
  await expect(limiter.correct(charge, { cancel: true })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
  await client.config('SET', 'maxmemory', '0');
  expect(await left()).toEqual([88, 5]);
  await limiter.consume('ann', { cost: 2 });
  expect(await limiter.correct(charge, { cancel: true })).toBe('applied');
  expect(await limiter.correct(charge, { cancel: true })).toBe('repeated');
  expect(await left()).toEqual([91, 8]);
});
