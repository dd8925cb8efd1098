import { concurrency, createLimiter, createLine, everyone, type Line, type Store } from '@sluice/core';

/**
 * The program that had a queue of p-queue:
 *
 * ```js
 * const queue = new PQueue({ concurrency: 2, interval: 1000, intervalCap: 3, strict: true });
 * await queue.add(({ signal }) => download(url, { signal }), { signal });
 * await queue.onIdle();
 * ```
 */
export function createQueue(store: Store): Line<string> {
  const limiter = createLimiter({
    name: 'downloads',
    keyGenerator: everyone(), // one queue for all
    limits: [
      concurrency({ limit: 2, lease: '30s' }), // concurrency
      { limit: 3, window: '1s' }, // intervalCap, interval and strict
    ],
    store,
  });
  return createLine({ limiter, order: 'fifo' });
}
