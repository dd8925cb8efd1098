import type { Limit } from '@sluice/core';
import {
  type BoundOptions,
  boundOf,
  fixedWindow,
  slidingWindow,
  slidingWindowCounter,
  tokenBucket,
} from '@sluice/core';
import { type LimitFacts, limitOf, type SetupFacts } from './setup-facts.js';

/** What makes the worst case of a limit worse. */
interface Worse {
  readonly losses: number;
  /** The largest cost of a request. */
  readonly cost: number;
  /** How many processes admitted unsynced units. */
  readonly instances: number;
}

/**
 * Returns the most units that the documentation allows in a window of some length, for a limit whose numbers were those of `variants`
 * lately. Infinity: it promises nothing for such a change.
 */
export function mostByStore(
  facts: SetupFacts,
  variants: readonly LimitFacts[],
  lengthMs: number,
  worse: Worse,
): number {
  const limit = largestOf(variants);
  if (!limit || !Number.isFinite(worse.losses)) return Number.POSITIVE_INFINITY;
  const { syncMs, slice } = facts.store;
  const isSynced = syncMs > 0 && (variants[0] as LimitFacts).algorithm !== 'concurrency';
  return boundOf(limit, Math.max(1, Math.ceil(lengthMs)), {
    losses: worse.losses,
    cost: worse.cost,
    ...(isSynced ? { sync: syncMs, slice, instances: worse.instances, onStoreError: 'deny' } : extrasOf(variants)),
  });
}

/** Returns the most units that one process admits by itself in a window of some length, while its store is gone. */
export function mostByItself(
  facts: SetupFacts,
  variants: readonly LimitFacts[],
  lengthMs: number,
  cost: number,
): number {
  const limit = largestOf(variants);
  if (!limit) return Number.POSITIVE_INFINITY;
  const { instances } = facts.store;
  if (!Number.isFinite(instances)) return Number.POSITIVE_INFINITY;
  const window = Math.max(1, Math.ceil(lengthMs));
  const options = { cost, ...extrasOf(variants) };
  return (boundOf(limit, window, { ...options, instances }) - boundOf(limit, window, options)) / instances;
}

function extrasOf(variants: readonly LimitFacts[]): BoundOptions {
  const guarantee = variants[0]?.setup.guarantee;
  if (guarantee) return { guaranteed: guarantee.total, lend: guarantee.lend };
  return { margin: Math.max(...variants.map(({ margin }) => margin)) };
}

/**
 * Returns a limit that admits at least as much as any mix of these. "Sliding windows and buckets never forget what was spent
 * recently"; of the others, only what keeps its window is comparable (packages/config/docs/changing-limits-safely.md).
 */
function largestOf(variants: readonly LimitFacts[]): Limit | undefined {
  const [first] = variants;
  if (!first) return undefined;
  if (variants.every(({ numbers }) => isSame(numbers, first.numbers)))
    return isSameGuarantee(variants) ? first.limit : undefined;
  // Each algorithm has a state of its own.
  if (!isSameGuarantee(variants) || variants.some(({ algorithm }) => algorithm !== first.algorithm)) return undefined;
  const limit = Math.max(...variants.map(({ quota }) => quota));
  const windows = variants.map(({ windowMs }) => windowMs);
  const window = Math.min(...windows);
  const isSameWindow = windows.every((ms) => ms === window);
  switch (first.algorithm) {
    case 'sliding-window':
    case 'sliding-window-log':
      return slidingWindow({ limit, window });
    case 'sliding-window-counter':
      return isSameWindow ? slidingWindowCounter({ limit, window }) : undefined;
    case 'fixed-window':
      return isSameWindow && isSameAlign(variants) ? fixedWindow({ limit, window, ...alignOf(first) }) : undefined;
    case 'token-bucket': {
      // By another rate, a debt is cut to one capacity, and what a tolerance has admitted can be admitted again.
      if (variants.some(({ margin, rate }) => margin > 0 && rate !== first.rate)) return undefined;
      const refillRate = Math.max(...variants.map(({ rate }) => rate));
      if (refillRate === 0) return tokenBucket({ capacity: limit, refillRate, keepFor: window });
      // Where the numbers of a bucket that never refills were in force last, everything comes back when it is forgotten.
      const forgottenMs = variants.filter(({ rate }) => rate === 0).map(({ windowMs }) => windowMs);
      const forgetRate = Math.max(0, ...forgottenMs.map((ms) => (limit * 1000) / ms));
      return tokenBucket({ capacity: limit, refillRate: Math.ceil((refillRate + forgetRate) * 1000) / 1000 });
    }
    case 'concurrency':
      return limitOf({ algorithm: 'concurrency', limit, leaseMs: window });
    case 'leaky-bucket':
      return undefined;
  }
}

function alignOf({ numbers }: LimitFacts): { readonly align?: 'first-request' | 'clock' } {
  return 'align' in numbers && numbers.align ? { align: numbers.align } : {};
}

function isSameAlign([first, ...others]: readonly LimitFacts[]): boolean {
  return first !== undefined && others.every((one) => alignOf(one).align === alignOf(first).align);
}

function isSame(one: LimitFacts['numbers'], other: LimitFacts['numbers']): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function isSameGuarantee(variants: readonly LimitFacts[]): boolean {
  const [first] = variants;
  if (variants.length === 1) return true;
  const text = JSON.stringify(first?.setup.guarantee);
  return variants.every(({ setup }) => JSON.stringify(setup.guarantee) === text);
}
