import { afterEach, expect, it } from '@jest/globals';
import { createLimiter, subscribe } from '@sluice/core';
import { Stage, sourcesOf } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

it('While Redis is full and evicts nothing, the policy decides, and the error names the fix; then Redis decides', async () => {
  stage = await Stage.set('--maxmemory-policy', 'noeviction');
  const limiter = createLimiter({ limit: 1000, window: '1h', store: stage.store() });
  const client = stage.client();
  await stage.untilBack(limiter);
  const errors: unknown[] = [];
  const states: string[] = [];
  const stops = [
    subscribe('sluice:store-error', ({ error }) => errors.push(error)),
    subscribe('sluice:breaker', ({ state }) => states.push(state)),
  ];
  await client.config('SET', 'maxmemory', '1');
  expect(sourcesOf(await stage.askFor(limiter, 600))).toEqual(new Set(['local']));
  // It answers reads, but no probe takes it as healthy.
  expect(states).toContain('half-open');
  expect(states).not.toContain('closed');
  const explained = { code: 'SLUICE_STORE', message: expect.stringContaining('raise its maxmemory') };
  expect(errors).toContainEqual(expect.objectContaining(explained));
  expect(errors.at(-1)).toMatchObject({ cause: explained });
  await client.config('SET', 'maxmemory', '0');
  await stage.untilBack(limiter);
  for (const stop of stops) stop();
  stage.expectAllInTime();
});
