import { type Limit, largestExact } from '../../values/limit.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { Layout } from '../kernel.js';

/**
 * What token and leaky buckets keep: `level` whole units and `part` of a unit, in `m`ths, as things stood at `timeMs`.
 * A negative level is debt.
 */
export interface BucketState {
  level: number;
  part: number;
  m: number;
  timeMs: number;
}

/** A limit of a bucket: `n` units come back per `m` milliseconds, up to `capacity`. */
export type BucketLimit = Limit & { readonly capacity: number; readonly n: number; readonly m: number };

/** Level and part are one number here, which stays below 2^53 as all that `m` is multiplied with. */
export const bucketLayout: Layout<BucketState> = {
  length: () => 3,

  read(state, numbers, from) {
    const units = numbers[from] as number;
    const m = numbers[from + 1] as number;
    state.level = Math.floor(units / m);
    state.part = units - state.level * m;
    state.m = m;
    state.timeMs = numbers[from + 2] as number;
  },

  write({ level, part, m, timeMs }, numbers, from) {
    numbers[from] = level * m + part;
    numbers[from + 1] = m;
    numbers[from + 2] = timeMs;
  },
};

/** The state of a key that was never seen. */
export function fullBucket(limit: BucketLimit, nowMs: number): BucketState {
  const { capacity, m } = limit;
  return { level: capacity, part: 0, m, timeMs: nowMs };
}

/** Whether a bucket was written by a clock that was ahead of this one. */
export function isBucketAhead(state: BucketState, _limit: BucketLimit, nowMs: number): boolean {
  return state.timeMs > nowMs;
}

/**
 * The level kept within what this capacity allows, a time ahead of the clock set back to it, and a part of another
 * measure dropped.
 */
export function bucketAt(state: BucketState, limit: BucketLimit, nowMs: number): BucketState {
  const { capacity, m } = limit;
  if (state.timeMs <= nowMs && state.level <= capacity && state.level >= -capacity && state.m === m) return state;
  const level = Math.max(-capacity, Math.min(capacity, state.level));
  const part = state.m === m ? state.part : 0;
  return { level, part, m, timeMs: Math.min(state.timeMs, nowMs) };
}

/**
 * What the bucket holds now, in units of 1/m, so that a part of a unit is a whole number too. Far more time than it
 * takes to fill may make the product inexact, but then it is far above the capacity, where the minimum ends it.
 */
export function held(state: BucketState, limit: BucketLimit, nowMs: number): number {
  const { capacity, n, m } = limit;
  return Math.min(capacity * m, state.level * m + state.part + (nowMs - state.timeMs) * n);
}

/** Whole units that the bucket holds now. */
export function bucketFree(state: BucketState, limit: BucketLimit, nowMs: number): number {
  return Math.floor(held(state, limit, nowMs) / limit.m);
}

/** Time until the bucket holds so many units: 0 if it does, `'never'` if it cannot. */
export function bucketUntilMs(state: BucketState, limit: BucketLimit, units: number, nowMs: number): number | 'never' {
  const { capacity, n, m } = limit;
  if (units > capacity) return 'never';
  const missing = units * m - held(state, limit, nowMs);
  if (missing <= 0) return 0;
  return n === 0 ? 'never' : Math.ceil(missing / n);
}

/** Moves the state to now, down to the part of a unit. */
export function refill(state: BucketState, limit: BucketLimit, nowMs: number): void {
  const { m } = limit;
  const now = held(state, limit, nowMs);
  state.level = Math.floor(now / m);
  state.part = now - state.level * m;
  state.timeMs = nowMs;
}

/** Takes units out, down to a debt of one capacity. */
export function takeOut(state: BucketState, limit: BucketLimit, units: number): void {
  state.level = Math.max(-limit.quota, state.level - units);
}

/** The part of a definition that token and leaky buckets have in common. */
export const bucketDefinition = {
  largestQuota: ({ m }: Limit) => largestExact(m),
  spanMs: ({ quota, n, m }) => Math.ceil((quota * m) / n),
  longestWaitMs: ({ quota, n, m }) => (2 * Math.ceil(quota / n) + 1) * m,
  share: (limit, quota, instances) => ({ ...limit, quota, capacity: quota, m: limit.m * instances }),
  usesSlots: false,
  canRefund: true,
  quotaUnit: undefined,
  headerWindowMs: ({ capacity, n, m }) => (n === 0 ? undefined : (capacity * m) / n),
  refillSeconds: ({ n, m }, units) => (n === 0 ? undefined : Math.max(1, Math.ceil((units * m) / (n * 1000)))),
  listLength: () => undefined,
} satisfies Partial<AlgorithmDefinition<never, never, BucketLimit>>;
