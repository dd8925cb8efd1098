import { expect, it } from '@jest/globals';
import { createLimiter } from '../../src/limiter/create-limiter.js';

// Nothing in this file imports an entry, which would bring lines.

it('A limiter without lines decides, and names the import that wait() needs', async () => {
  const limiter = createLimiter({ limit: 1, window: '1m' });
  expect(limiter.consume('ann').allowed).toBe(true);
  await expect(limiter.wait('bob')).rejects.toMatchObject({
    code: 'SLUICE_UNSUPPORTED',
    message: expect.stringContaining("needs an import of '@sluice/core/lines'"),
  });
  expect(limiter.peek('bob').tightest.used).toBe(0);
});

it('A limiter has lines as soon as their import was made, even if it was made before', async () => {
  const limiter = createLimiter({ limit: 1, window: '1m' });
  await import('@sluice/core/lines');
  expect((await limiter.wait('ann')).allowed).toBe(true);
});
