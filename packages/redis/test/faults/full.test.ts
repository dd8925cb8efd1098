import { afterEach, expect, it } from '@jest/globals';
import { createLimiter, subscribe } from '@sluice/core';
import { Stage, sourcesOf } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

it('While Redis is full and evicts nothing the policy answers, and is told what to change; then Redis does', async () => {
  stage = await Stage.set('--maxmemory-policy', 'noeviction');
  const limiter = createLimiter({ limit: 1000, window: '1h', store: stage.store() });
  const client = stage.client();
  await stage.untilBack(limiter);
  const errors: unknown[] = [];
  const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
  await client.config('SET', 'maxmemory', '1');
  expect(sourcesOf(await stage.askFor(limiter, 300))).toEqual(new Set(['local']));
  await client.config('SET', 'maxmemory', '0');
  await stage.untilBack(limiter);
  stop();
  stage.expectAllInTime();
  expect(errors).toContainEqual(
    expect.objectContaining({ code: 'SLUICE_STORE', message: expect.stringContaining('larger maxmemory') }),
  );
});
