import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { createLimiter, MemoryStore } from '@sluice/core';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { policies, type Source } from '../../src/index.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const RELOADS = 2000;
const MOST_BYTES = 100 * 1024;

/** The bytes in use after everything that nobody refers to is gone: finalizers run between collections. */
async function usedBytes(): Promise<number> {
  for (let i = 0; i < 4; i += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Every second text has one policy more. */
const textOf = (reload: number): string => `version: 1
policies:
  api:
    limits: [{ name: minute, limit: ${1000 + (reload % 7)}, window: 1m }]
${reload % 2 === 0 ? '' : '  other:\n    limits: [{ name: minute, limit: 5, window: 1m }]\n'}`;

it('2,000 reloads of a policy file keep at most 100 KB', async () => {
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
  let least = Number.POSITIVE_INFINITY;
  // The first rounds also compile code. What stays of every text stays in each round.
  for (let round = 0; round < 10 && least > MOST_BYTES; round += 1) {
    const before = await usedBytes();
    for (let i = 0; i < RELOADS; i += 1) {
      reload += 1;
      await live.reload({ allowRemovals: true });
      limiter.consume(request);
    }
    least = Math.min(least, (await usedBytes()) - before);
  }
  expect(live.status().reloads.applied).toBeGreaterThan(RELOADS);
  expect(least).toBeLessThanOrEqual(MOST_BYTES);
  await live.close();
}, 300_000);
