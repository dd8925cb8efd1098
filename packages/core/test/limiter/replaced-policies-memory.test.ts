import { expect, it } from '@jest/globals';
import { closedAfterTest } from '@sluice/test-kit/closed-after-test';
import { keptBytes, MOST_KEPT_BYTES } from '@sluice/test-kit/kept-bytes';
import { createLimiter, MemoryStore, replacePolicy } from '../../src/index.js';

it.each([
  ['with the names of its limits', () => 'hour'],
  ['with a new name of a limit each time', (i: number) => `hour ${i}`],
])(
  '2,000 replacements of a policy %s keep at most 100 KB',
  async (way, nameOf) => {
    const store = closedAfterTest(new MemoryStore({ maxKeys: 10 }));
    const least = await keptBytes((round) => {
      const options = {
        name: `${way}, ${round}`,
        limits: [{ name: 'first', limit: 10, window: '1h' }],
        store,
      } as const;
      const limiter = createLimiter(options);
      return (i) => {
        replacePolicy(options, { limits: [{ name: nameOf(i), limit: 10 + i, window: '1h' }] });
        limiter.consume('ann');
      };
    });
    expect(least).toBeLessThanOrEqual(MOST_KEPT_BYTES);
  },
  60_000,
);
