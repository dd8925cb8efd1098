import { afterEach, expect, it } from '@jest/globals';
import { createLimiter } from '@sluice/core';
import { admittedOf, Stage, sleep, sourcesOf } from './stage.js';

/** The test shows that no reply is lost, also on a busy machine. */
const AMPLE_MS = 5000;

let stage: Stage;

afterEach(() => stage.clear());

it('SCRIPT FLUSH under load loses no decision and no count', async () => {
  stage = await Stage.set();
  const limiter = createLimiter({ limit: 200, window: '1h', store: stage.store({ timeout: AMPLE_MS }) });
  const client = stage.client();
  let isLoading = true;
  const flushing = (async () => {
    while (isLoading) {
      await client.script('FLUSH');
      await sleep(5);
    }
  })();
  // As many as necessary, so that a slow machine asks for longer, not less often.
  while (stage.answers.length <= 250) await stage.askFor(limiter, 100);
  isLoading = false;
  await flushing;
  const { answers } = stage;
  expect(sourcesOf(answers)).toEqual(new Set(['store']));
  expect(admittedOf(answers)).toBe(200);
});
