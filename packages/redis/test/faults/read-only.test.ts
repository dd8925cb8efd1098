import { afterEach, expect, it } from '@jest/globals';
import { createLimiter, subscribe } from '@sluice/core';
import { freePort } from '@sluice/test-kit/free-port';
import { Stage, sourcesOf } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

it('While Redis is a read-only replica, the policy decides; when it is promoted, Redis decides', async () => {
  stage = await Stage.set();
  const limiter = createLimiter({ limit: 1000, window: '1h', store: stage.store() });
  const client = stage.client();
  await stage.untilBack(limiter);
  const errors: unknown[] = [];
  const states: string[] = [];
  const stops = [
    subscribe('sluice:store-error', ({ error }) => errors.push(error)),
    subscribe('sluice:breaker', ({ state }) => states.push(state)),
  ];
  await client.replicaof('127.0.0.1', await freePort());
  expect(sourcesOf(await stage.askFor(limiter, 600))).toEqual(new Set(['local']));
  // It answers reads, but no probe takes it as healthy.
  expect(states).toContain('half-open');
  expect(states).not.toContain('closed');
  const explained = { code: 'SLUICE_STORE', message: expect.stringContaining('read-only replica') };
  expect(errors).toContainEqual(expect.objectContaining(explained));
  expect(errors.at(-1)).toMatchObject({ cause: explained });
  await client.replicaof('NO', 'ONE');
  await stage.untilBack(limiter);
  for (const stop of stops) stop();
  stage.expectAllInTime();
});
