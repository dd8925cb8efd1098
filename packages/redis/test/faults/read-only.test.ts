import { afterEach, expect, it } from '@jest/globals';
import { createLimiter, subscribe } from '@sluice/core';
import { freePort } from '../redis-server.js';
import { Stage, sourcesOf } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

it('While Redis is a read-only replica the policy answers; when it is promoted, Redis does', async () => {
  stage = await Stage.set();
  const limiter = createLimiter({ limit: 1000, window: '1h', store: stage.store() });
  const client = stage.client();
  await stage.untilBack(limiter);
  const errors: unknown[] = [];
  const stop = subscribe('sluice:store-error', ({ error }) => errors.push(error));
  await client.replicaof('127.0.0.1', await freePort());
  expect(sourcesOf(await stage.askFor(limiter, 300))).toEqual(new Set(['local']));
  await client.replicaof('NO', 'ONE');
  await stage.untilBack(limiter);
  stop();
  stage.expectAllInTime();
  expect(errors).toContainEqual(
    expect.objectContaining({ code: 'SLUICE_STORE', message: expect.stringContaining('read-only replica') }),
  );
});
