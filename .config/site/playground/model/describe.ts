import type { Duration } from '@sluice/core';
import type { Algorithm, LimitState } from './state.js';

/** The constructor of each algorithm. */
export const CONSTRUCTOR_OF = {
  'sliding-window': 'slidingWindow',
  'sliding-window-log': 'slidingWindowLog',
  'sliding-window-counter': 'slidingWindowCounter',
  'fixed-window': 'fixedWindow',
  'token-bucket': 'tokenBucket',
  'leaky-bucket': 'leakyBucket',
  concurrency: 'concurrency',
} as const satisfies Record<Algorithm, string>;

/** Values as JSON has them. */
export type Described = { readonly [name: string]: Described } | string | number | boolean;

/** The options of a limit's constructor. A policy file has the same words. */
type LimitWords = Readonly<Record<string, Described>>;

/** Returns the words of a limit: the options of its constructor that are no defaults. */
export function wordsOf(form: LimitState): LimitWords {
  const { quota, rate, window, interval, immediate } = form;
  switch (form.algorithm) {
    case 'token-bucket':
      return {
        capacity: quota,
        refillRate: rate,
        ...(interval !== '' && { refillInterval: interval }),
        ...penaltiesOf(form),
      };
    case 'leaky-bucket':
      return { capacity: quota, leakRate: rate, ...(immediate > 0 && { immediate }) };
    case 'concurrency':
      return { limit: quota, lease: form.lease };
    case 'fixed-window':
      return { limit: quota, ...fixedWindowOf(form), ...penaltiesOf(form) };
    case 'sliding-window':
      return { limit: quota, window, ...(form.buckets !== 20 && { buckets: form.buckets }), ...penaltiesOf(form) };
    default:
      return { limit: quota, window, ...penaltiesOf(form) };
  }
}

function fixedWindowOf({ align, window, unit, timeZone }: LimitState): LimitWords {
  if (align === 'calendar') return { window: { unit, timeZone } };
  return { window, ...(align === 'clock' && { align }) };
}

function penaltiesOf({ countRejected, block, longestBlock }: LimitState): LimitWords {
  return {
    ...(countRejected !== 'no' && { countRejected: countRejected === 'always' ? 'always' : true }),
    ...(block !== '' && { blockDuration: longestBlock === '' ? block : { first: block, max: longestBlock } }),
  };
}

/** Whether all clients share the limit. A guarantee divides a limit that they share. */
export const isShared = ({ per, part }: LimitState): boolean => per === 'everyone' || part > 0;

/** The options that stand beside a limit and are plain data. */
interface PlainOptions {
  readonly enforce?: 0 | 'mark';
  readonly tolerance?: number;
  readonly slowDown?: { readonly after: number; readonly by: Duration; readonly upTo: Duration };
}

/** Returns the options that stand beside a limit, are plain data and are no defaults. */
export function plainOptionsOf(form: LimitState): PlainOptions {
  const { enforce, tolerance, slowAfter: after, slowBy, slowUpTo } = form;
  return {
    ...(enforce !== 'refuse' && { enforce: enforce === 'mark' ? 'mark' : 0 }),
    ...(tolerance > 0 && { tolerance: tolerance / 100 }),
    ...(slowBy !== '' && { slowDown: { after, by: slowBy as Duration, upTo: slowUpTo as Duration } }),
  };
}
