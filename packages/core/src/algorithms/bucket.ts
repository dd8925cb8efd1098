import type { Limit } from '../limit.js';

/** What token and leaky buckets keep: `level` units at `timeMs`. A negative level is debt. */
export interface BucketState {
  level: number;
  timeMs: number;
}

/** A limit of a bucket: `n` units come back per `m` milliseconds, up to `capacity`. */
export type BucketLimit = Limit & { readonly capacity: number; readonly n: number; readonly m: number };

export function isBucketAhead(state: BucketState, _limit: Limit, nowMs: number): boolean {
  return state.timeMs > nowMs;
}

/** The level kept within what this capacity allows, and a time ahead of the clock set back to it. */
export function bucketAt(state: BucketState, limit: Limit, nowMs: number): BucketState {
  const { capacity } = limit as BucketLimit;
  if (state.timeMs <= nowMs && state.level <= capacity && state.level >= -capacity) return state;
  const level = Math.max(-capacity, Math.min(capacity, state.level));
  return { level, timeMs: Math.min(state.timeMs, nowMs) };
}

/**
 * What the bucket holds now, in units of 1/m, so that a part of a unit is a whole number too. Far more time than it takes to
 * fill may make the product inexact, but then it is far above the capacity, where the minimum ends it.
 */
export function held(state: BucketState, limit: Limit, nowMs: number): number {
  const { capacity, n, m } = limit as BucketLimit;
  return Math.min(capacity * m, state.level * m + (nowMs - state.timeMs) * n);
}

export function bucketFree(state: BucketState, limit: Limit, nowMs: number): number {
  return Math.floor(held(state, limit, nowMs) / (limit as BucketLimit).m);
}

export function bucketUntilMs(state: BucketState, limit: Limit, units: number, nowMs: number): number | 'never' {
  const { capacity, n, m } = limit as BucketLimit;
  if (units > capacity) return 'never';
  const missing = units * m - held(state, limit, nowMs);
  if (missing <= 0) return 0;
  return n === 0 ? 'never' : Math.ceil(missing / n);
}

/** Moves the state to the last whole step of `m` before now, so that no part of a unit is lost; a full one to now. */
export function refill(state: BucketState, limit: Limit, nowMs: number, isFull: boolean): void {
  const { capacity, n, m } = limit as BucketLimit;
  if (isFull) {
    state.level = capacity;
    state.timeMs = nowMs;
  } else {
    const steps = Math.floor((nowMs - state.timeMs) / m);
    state.level += steps * n;
    state.timeMs += steps * m;
  }
}

export function bucketIsFull(state: BucketState, limit: Limit, nowMs: number): boolean {
  const { capacity, m } = limit as BucketLimit;
  return held(state, limit, nowMs) >= capacity * m;
}
