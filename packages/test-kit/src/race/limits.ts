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

const HOUR = { limit: 100, window: '1h' } as const;

/** A hundred units that no race lasts long enough to have again. */
export const RACE_LIMITS = {
  'a sliding window': slidingWindow(HOUR),
  'a sliding window log': slidingWindowLog(HOUR),
  'a sliding window counter': slidingWindowCounter(HOUR),
  'a fixed window': fixedWindow(HOUR),
  'a fixed window by the clock': fixedWindow({ ...HOUR, align: 'clock' }),
  'a token bucket': tokenBucket({ capacity: 100, refillRate: 0 }),
  'a leaky bucket': leakyBucket({ capacity: 100, leakRate: 0.001 }),
  'a concurrency limit': concurrency({ limit: 100, lease: '1h' }),
  'together with a limit of each process': slidingWindow(HOUR),
} as const satisfies Record<string, Limit>;
