import { expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { CHANGES, keptBytes, MOST_KEPT_BYTES } from '@sluice/test-kit/kept-bytes';
import { policies, type Source } from '../../src/index.js';

/** A reload takes long: without `SLUICE_SUITES`, fewer are made. */
const RELOADS = process.env.SLUICE_SUITES === 'full' ? CHANGES : 500;

/** Every second text has one policy more. */
const textOf = (reload: number): string => `version: 1
policies:
  api:
    limits: [{ name: minute, limit: ${1000 + (reload % 7)}, window: 1m }]
${reload % 2 === 0 ? '' : '  other:\n    limits: [{ name: minute, limit: 5, window: 1m }]\n'}`;

it(`${RELOADS} reloads of a policy file keep at most 100 KB`, async () => {
  let reload = 0;
  const source: Source = {
    read: async () => ({ text: textOf(reload), revision: `${reload}`, origin: 'a test' }),
    async *changes(signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
  const live = await policies({ source, store: closedAfterTest(new MemoryStore()) });
  const limiter = createLimiter(live.policy('api'));
  const request = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };
  const least = await keptBytes(
    () => async () => {
      reload += 1;
      await live.reload({ allowRemovals: true });
      limiter.consume(request);
    },
    RELOADS,
  );
  expect(live.status().reloads.applied).toBeGreaterThanOrEqual(RELOADS);
  expect(least).toBeLessThanOrEqual(MOST_KEPT_BYTES);
  await live.close();
}, 300_000);
