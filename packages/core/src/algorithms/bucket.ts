import type { Limit } from '../limit.js';
import type { Layout } from './kernel.js';

/**
 * What token and leaky buckets keep: how much they held at `timeMs`, in `m`ths of a unit. Less than nothing is debt; the
 * whole units in it are its level.
 */
export interface BucketState {
  held: number;
  m: number;
  timeMs: number;
}

/** A limit of a bucket: `n` units come back per `m` milliseconds, up to `capacity`. */
export type BucketLimit = Limit & { readonly capacity: number; readonly n: number; readonly m: number };

/** All stays below 2^53 that `m` is multiplied with. */
export const bucketLayout: Layout<BucketState> = {
  length: () => 3,

  read(state, numbers, from) {
    state.held = numbers[from] as number;
    state.m = numbers[from + 1] as number;
    state.timeMs = numbers[from + 2] as number;
  },

  write({ held, m, timeMs }, numbers, from) {
    numbers[from] = held;
    numbers[from + 1] = m;
    numbers[from + 2] = timeMs;
  },
};

/** The state of a key that was never seen. */
export function fullBucket(limit: BucketLimit, nowMs: number): BucketState {
  const { capacity, m } = limit;
  return { held: capacity * m, m, timeMs: nowMs };
}

export function levelOf({ held, m }: BucketState): number {
  return Math.floor(held / m);
}

/** Sets the level, and leaves what is there of another unit. */
export function setLevel(state: BucketState, level: number): void {
  state.held += (level - levelOf(state)) * state.m;
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
  const { held } = state;
  const isWithin = held < (capacity + 1) * m && held >= -capacity * m;
  if (state.timeMs <= nowMs && state.m === m && isWithin) return state;
  const level = Math.max(-capacity, Math.min(capacity, levelOf(state)));
  const part = state.m === m ? held - levelOf(state) * m : 0;
  return { held: level * m + part, m, timeMs: Math.min(state.timeMs, nowMs) };
}

/**
 * What the bucket holds now, in `m`ths of a unit, so that a part of a unit is a whole number too. Far more time than it
 * takes to fill may make the product inexact, but then it is far above the capacity, where the minimum ends it.
 */
export function heldAt(state: BucketState, limit: BucketLimit, nowMs: number): number {
  const { capacity, n, m } = limit;
  return Math.min(capacity * m, state.held + (nowMs - state.timeMs) * n);
}

/** Whole units that the bucket holds now. */
export function bucketFree(state: BucketState, limit: BucketLimit, nowMs: number): number {
  return Math.floor(heldAt(state, limit, nowMs) / limit.m);
}

/** Time until the bucket holds so many units: 0 if it does, `'never'` if it cannot. */
export function bucketUntilMs(state: BucketState, limit: BucketLimit, units: number, nowMs: number): number | 'never' {
  const { capacity, n, m } = limit;
  if (units > capacity) return 'never';
  const missing = units * m - heldAt(state, limit, nowMs);
  if (missing <= 0) return 0;
  return n === 0 ? 'never' : Math.ceil(missing / n);
}

/** Moves the state to now, down to the part of a unit. */
export function refill(state: BucketState, limit: BucketLimit, nowMs: number): void {
  state.held = heldAt(state, limit, nowMs);
  state.timeMs = nowMs;
}

/** Takes units out, down to a debt of one capacity. */
export function takeOut(state: BucketState, limit: BucketLimit, units: number): void {
  setLevel(state, Math.max(-limit.quota, levelOf(state) - units));
}
