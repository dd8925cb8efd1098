import {
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import type { Quota } from '../contender.js';

/** The most that a log remembers of one key. */
const LONGEST_LOG = 10_000;

/** A bucket gets one unit back in a window, so that none is full again, and forgotten, while it is measured. */
const perSecond = ({ windowMs }: Quota): number => 1_000 / windowMs;

/** Every algorithm that decides at once, by the name it has in tables. */
export const SLUICE_LIMITS = {
  'Sluice sliding window': ({ limit, windowMs }) => slidingWindow({ limit, window: windowMs }),
  'Sluice sliding window log': ({ limit, windowMs }) =>
    slidingWindowLog({ limit: Math.min(limit, LONGEST_LOG), window: windowMs }),
  'Sluice sliding window counter': ({ limit, windowMs }) => slidingWindowCounter({ limit, window: windowMs }),
  'Sluice fixed window': ({ limit, windowMs }) => fixedWindow({ limit, window: windowMs }),
  'Sluice token bucket': (quota) => tokenBucket({ capacity: quota.limit, refillRate: perSecond(quota) }),
  'Sluice leaky bucket': (quota) => leakyBucket({ capacity: quota.limit, leakRate: perSecond(quota) }),
} as const satisfies Readonly<Record<string, (quota: Quota) => Limit>>;
