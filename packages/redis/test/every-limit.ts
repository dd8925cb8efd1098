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

const HUNDRED_A_MINUTE = { limit: 100, window: '1m' } as const;

/** A hundred a minute, or at once, by every algorithm. */
export const EVERY_LIMIT = {
  'sliding-window': slidingWindow(HUNDRED_A_MINUTE),
  'sliding-window-log': slidingWindowLog(HUNDRED_A_MINUTE),
  'sliding-window-counter': slidingWindowCounter(HUNDRED_A_MINUTE),
  'fixed-window': fixedWindow(HUNDRED_A_MINUTE),
  'token-bucket': tokenBucket({ capacity: 100, refillRate: 100 / 60 }),
  'leaky-bucket': leakyBucket({ capacity: 100, leakRate: 100 / 60 }),
  concurrency: concurrency({ limit: 100, lease: '1m' }),
} as const satisfies Record<string, Limit>;
