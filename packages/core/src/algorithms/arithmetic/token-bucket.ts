import type { GivenBack } from '../kernel.js';
import {
  type BucketLimit,
  type BucketState,
  bucketAt,
  bucketFree,
  bucketSpanMs,
  bucketUntilMs,
  fullBucket,
  noteLimit,
  putIn,
  refill,
  takeOut,
} from './bucket.js';

/** How long an empty bucket takes to fill. */
export function spanMs(limit: BucketLimit): number {
  if (limit.byInterval !== true) return bucketSpanMs(limit);
  return Math.ceil(limit.quota / limit.refillUnits) * limit.refillPeriodMs;
}

/** The level of a bucket of a capacity that refills at the end of each interval. */
function levelByInterval(state: BucketState, limit: BucketLimit, capacity: number, nowMs: number): number {
  const periods = Math.floor((nowMs - state.timeMs) / limit.refillPeriodMs);
  return Math.min(capacity, state.level + periods * limit.refillUnits);
}

function untilMsByInterval(
  state: BucketState,
  limit: BucketLimit,
  capacity: number,
  units: number,
  nowMs: number,
): number | 'never' {
  const { refillUnits, refillPeriodMs } = limit;
  if (units > capacity) return 'never';
  const level = levelByInterval(state, limit, capacity, nowMs);
  if (level >= units) return 0;
  const elapsedMs = nowMs - state.timeMs;
  const sinceIntervalMs = elapsedMs - Math.floor(elapsedMs / refillPeriodMs) * refillPeriodMs;
  return Math.ceil((units - level) / refillUnits) * refillPeriodMs - sinceIntervalMs;
}

/**
 * Moves the state to the start of the current interval. A full bucket moves to now, and its next interval begins now.
 */
function refillByInterval(state: BucketState, limit: BucketLimit, nowMs: number): void {
  const { quota, refillUnits, refillPeriodMs } = limit;
  const level = levelByInterval(state, limit, quota, nowMs);
  const periods = Math.floor((nowMs - state.timeMs) / refillPeriodMs);
  noteLimit(state, limit, (state.level + periods * refillUnits) * refillPeriodMs);
  state.timeMs = level === quota ? nowMs : state.timeMs + periods * refillPeriodMs;
  state.level = level;
}

/** Returns the state under this limit. A bucket that never refills is forgotten some time after its last use. */
export function normalize(state: BucketState, limit: BucketLimit, nowMs: number): BucketState {
  const { keepForMs } = limit;
  if (keepForMs !== undefined && nowMs - state.timeMs >= keepForMs) return fullBucket(limit, nowMs);
  return bucketAt(state, limit, nowMs);
}

export function available(state: BucketState, limit: BucketLimit, nowMs: number): number {
  if (limit.byInterval === true) return levelByInterval(state, limit, limit.quota, nowMs);
  return bucketFree(state, limit, nowMs);
}

function untilMs(state: BucketState, limit: BucketLimit, capacity: number, units: number, nowMs: number) {
  if (limit.byInterval === true) return untilMsByInterval(state, limit, capacity, units, nowMs);
  return bucketUntilMs(state, limit, capacity, units, nowMs);
}

export function waitMs(state: BucketState, limit: BucketLimit, units: number, nowMs: number): number | 'never' {
  return untilMs(state, limit, limit.quota, units, nowMs);
}

function refillTo(state: BucketState, limit: BucketLimit, nowMs: number): void {
  if (limit.byInterval === true) refillByInterval(state, limit, nowMs);
  else refill(state, limit, nowMs);
}

export function spend(state: BucketState, limit: BucketLimit, units: number, nowMs: number): void {
  refillTo(state, limit, nowMs);
  takeOut(state, limit, units);
}

/** The most parts of 1 / `refillPeriodMs` of a unit that have refilled from `atMs` to now, to a bucket that is not full. */
function refilledSince(state: BucketState, limit: BucketLimit, atMs: number, nowMs: number): number {
  const { refillUnits, refillPeriodMs } = limit;
  if (limit.byInterval !== true) return Math.max(0, nowMs - atMs) * refillUnits;
  const lastMs = state.timeMs + Math.floor((nowMs - state.timeMs) / refillPeriodMs) * refillPeriodMs;
  // Ends of intervals are at least a period apart.
  const ends = lastMs <= atMs ? 0 : 1 + Math.floor((lastMs - atMs - 1) / refillPeriodMs);
  return ends * refillUnits * refillPeriodMs;
}

export function refund(state: BucketState, limit: BucketLimit, back: GivenBack, nowMs: number): boolean {
  const { units, atMs } = back;
  if (available(state, limit, nowMs) >= limit.quota) return false;
  // More than twice the capacity is never missing, and its product is exact.
  let parts = Math.min(units, 2 * limit.quota) * limit.refillPeriodMs;
  if (back.unspent === true && atMs !== undefined) parts -= refilledSince(state, limit, atMs, nowMs);
  if (parts <= 0) return false;
  refillTo(state, limit, nowMs);
  putIn(state, limit, parts);
  return true;
}

/** As long as units are missing by the largest capacity that the bucket was written with, the state matters. */
export function retentionMs(state: BucketState, limit: BucketLimit, nowMs: number): number | undefined {
  const { capacity } = state;
  const { quota, keepForMs } = limit;
  if (keepForMs !== undefined) return state.level >= Math.max(quota, capacity) ? 0 : state.timeMs + keepForMs - nowMs;
  return capacity > quota ? (untilMs(state, limit, capacity, capacity, nowMs) as number) : undefined;
}
