import {
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';

/** A limit of each algorithm and each variant, by its name in messages. Each admits 4 units. */
export const EVERY_LIMIT: Readonly<Record<string, Limit>> = {
  'sliding window': slidingWindow({ limit: 4, window: '1s' }),
  'sliding window with coarse sub-windows': slidingWindow({ limit: 4, window: '1s', buckets: 3 }),
  'sliding window that blocks': slidingWindow({ limit: 4, window: '1s', blockDuration: '3s' }),
  'sliding window that blocks ever longer': slidingWindow({
    limit: 4,
    window: '1s',
    blockDuration: { first: '2s', max: '8s' },
  }),
  'sliding window that counts refusals': slidingWindow({ limit: 4, window: '1s', countRejected: true }),
  'sliding window log': slidingWindowLog({ limit: 4, window: '1s' }),
  'sliding window counter': slidingWindowCounter({ limit: 4, window: '1s' }),
  'fixed window': fixedWindow({ limit: 4, window: '1s' }),
  'fixed window of the clock': fixedWindow({ limit: 4, window: '1s', align: 'clock' }),
  'token bucket': tokenBucket({ capacity: 4, refillRate: 3 }),
  'token bucket by interval': tokenBucket({ capacity: 4, refillRate: 3, refillInterval: '1s' }),
  'leaky bucket': leakyBucket({ capacity: 4, leakRate: 3 }),
  concurrency: concurrency({ limit: 4, lease: '1s' }),
};
