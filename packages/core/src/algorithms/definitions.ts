import type { Limit } from '../values/limit.js';
import { leakyBucketKernel } from './buckets/leaky.js';
import { tokenBucketKernel } from './buckets/token.js';
import { concurrencyKernel } from './concurrency.js';
import { fixedWindowKernel } from './fixed-window.js';
import type { Kernel } from './kernel.js';
import { slidingWindowLogKernel } from './sliding/log.js';
import { slidingWindowKernel } from './sliding/window.js';
import { slidingWindowCounterKernel } from './sliding-window-counter.js';

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
