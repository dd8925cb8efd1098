import { afterEach, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { Stage, sourcesOf } from './stage.js';

const options = { limit: 5000, window: '1h' } as const;

let stage: Stage;

afterEach(() => stage.clear());

it('Of 1,000 checks that were sent to a frozen Redis, none is charged when it continues after their deadline', async () => {
  stage = await Stage.set();
  const client = stage.client();
  const limiter = createLimiter({ ...options, store: stage.store({ client }) });
  await stage.untilBack(limiter);
  const before = await stage.remaining(options, 'ann');
  await stage.freeze();
  const answers = await Promise.all(Array.from({ length: 1000 }, () => stage.ask(limiter)));
  expect(sourcesOf(answers)).toEqual(new Set(['local']));
  await stage.server.thaw();
  // The reply comes after the replies to everything that was sent before.
  await client.ping();
  expect(await stage.remaining(options, 'ann')).toBe(before);
  stage.expectAllInTime();
});
