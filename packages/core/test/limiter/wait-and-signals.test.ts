import { getEventListeners } from 'node:events';
import { expect, it } from '@jest/globals';
import { concurrency, createLimiter } from '@sluice/core';
import { manualStore, settled } from '@sluice/test-kit/manual-store';

it('A signal has no listeners when no wait is left, however it ended', async () => {
  const { clock, store } = manualStore();
  const limiter = createLimiter({ limit: concurrency({ limit: 1, lease: '1h' }), store });
  const held = limiter.reserve('ann');
  const { signal } = new AbortController();
  const freed = limiter.wait('ann', { signal });
  const inVain = limiter.wait('ann', { signal, maxWait: '10s' });
  await settled();
  expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
  held.settle();
  (await freed).settle();
  (await inVain).settle();
  const again = limiter.reserve('ann');
  const late = limiter.wait('ann', { signal, maxWait: '1s' });
  await settled();
  clock.advance('1s');
  expect((await late).allowed).toBe(false);
  again.settle();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
