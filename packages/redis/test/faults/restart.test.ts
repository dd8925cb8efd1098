import { afterEach, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { Stage, sourcesOf } from './stage.js';

let stage: Stage;

afterEach(() => stage.clear());

it('While Redis is dead, the policy decides; after a restart without data, Redis decides, and gets its scripts again', async () => {
  stage = await Stage.set();
  const limiter = createLimiter({ limit: 1000, window: '1h', onStoreError: 'deny', store: stage.store() });
  await stage.untilBack(limiter);
  await stage.server.kill();
  expect(sourcesOf(await stage.askFor(limiter, 300))).toEqual(new Set(['deny']));
  await stage.server.run();
  await stage.untilBack(limiter);
  stage.expectAllInTime();
});
