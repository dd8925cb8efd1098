import type { Limit } from '../limit.js';
import { concurrencyKernel } from './concurrency.js';
import { fixedWindowKernel } from './fixed-window.js';
import type { Kernel } from './kernel.js';
import { leakyBucketKernel } from './leaky-bucket.js';
import { slidingWindowKernel } from './sliding-window.js';
import { slidingWindowCounterKernel } from './sliding-window-counter.js';
import { slidingWindowLogKernel } from './sliding-window-log.js';
import { tokenBucketKernel } from './token-bucket.js';

/** Every algorithm that is counted; `unlimited` never reaches a store. */
export type Algorithm = Exclude<Limit['algorithm'], 'unlimited'>;

/** The kernel of each algorithm. */
export const ALGORITHMS: Readonly<Record<Algorithm, Kernel>> = {
  'sliding-window': slidingWindowKernel,
  'sliding-window-log': slidingWindowLogKernel,
  'sliding-window-counter': slidingWindowCounterKernel,
  'fixed-window': fixedWindowKernel,
  'token-bucket': tokenBucketKernel,
  'leaky-bucket': leakyBucketKernel,
  concurrency: concurrencyKernel,
};
