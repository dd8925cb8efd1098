// Why it is so: docs/why/buckets.md

import type { Limit } from '../../values/limit.js';

/**
 * The state of token and leaky buckets: the level at `timeMs`. `level` is the number of whole units; `part` is the
 * rest, in parts of 1 / `refillPeriodMs` of a unit. A negative level is debt. Since `timeMs` the bucket has refilled by the
 * rate that it was written with.
 */
export interface BucketState {
  level: number;
  part: number;
  /** Of the rate that the state was written with; `UNKNOWN` if it does not say. */
  refillUnits: number;
  refillPeriodMs: number;
  /**
   * The largest capacity by which the bucket has been written since it was last full by that: it is kept until it is full by it
   * again. 0 if it does not say.
   */
  capacity: number;
  timeMs: number;
}

/** A limit by a bucket: `refillUnits` come back per `refillPeriodMs`, up to the capacity, which is the quota. */
export type BucketLimit = Limit & {
  readonly capacity: number;
  readonly refillUnits: number;
  readonly refillPeriodMs: number;
};

/** In place of `refillUnits`, for states of earlier versions, and for rates above 10^12 units per period. */
export const UNKNOWN = -1;
const LARGEST_KNOWN = 1e12 - 2;

/** The units of a limit's rate, as far as a state says them. */
export function knownUnits(limit: BucketLimit): number {
  return limit.refillUnits <= LARGEST_KNOWN ? limit.refillUnits : UNKNOWN;
}

/** Redis keeps a capacity and the units of a rate in one number, if they are at most these. */
const LARGEST_CAPACITY = 2 ** 31 - 1;
const MOST_UNITS_BESIDE = 2 ** 16 - 2;

/** The capacity of a limit, as far as a state says it. */
function knownCapacity(limit: BucketLimit): number {
  const { quota, refillUnits } = limit;
  return quota <= LARGEST_CAPACITY && refillUnits <= MOST_UNITS_BESIDE ? quota : 0;
}

/** How long an empty bucket takes to fill. */
export function bucketSpanMs(limit: BucketLimit): number {
  const { quota, refillUnits, refillPeriodMs } = limit;
  return Math.ceil((quota * refillPeriodMs) / refillUnits);
}

/** The state of a key that was never seen. */
export function fullBucket(limit: BucketLimit, nowMs: number): BucketState {
  const { quota, refillPeriodMs } = limit;
  return { level: quota, part: 0, refillUnits: knownUnits(limit), refillPeriodMs, capacity: 0, timeMs: nowMs };
}

/** Whether a bucket was written by a clock that was ahead of this one. */
export function isBucketAhead(state: BucketState, _limit: BucketLimit, nowMs: number): boolean {
  return state.timeMs > nowMs;
}

/**
 * Returns the state under this limit: what has refilled by another rate added, the level within the capacity, or in the debt of a larger
 * limit, a time ahead of the clock set back, and a part dropped if it was measured by another period.
 */
export function bucketAt(state: BucketState, limit: BucketLimit, nowMs: number): BucketState {
  const { quota, refillPeriodMs } = limit;
  const isSamePeriod = state.refillPeriodMs === refillPeriodMs;
  const isSame = isSamePeriod && (state.refillUnits === knownUnits(limit) || state.refillUnits === UNKNOWN);
  if (isSame && state.timeMs <= nowMs && state.level <= quota && state.level >= -quota) return state;
  const { level, part, refillUnits, capacity } = state;
  const now = { level, part, refillUnits, refillPeriodMs, capacity, timeMs: Math.min(state.timeMs, nowMs) };
  if (!isSame) {
    now.refillUnits = knownUnits(limit);
    if (refillUnits !== UNKNOWN) refillAtOldRate(now, state, limit, nowMs);
    if (now.level >= capacity || knownCapacity(limit) === 0) now.capacity = 0;
  }
  // What a larger limit of the same rate has admitted stays owed. By another rate, a debt could last for ever.
  const mostDebt = isSame ? Math.max(quota, capacity) : quota;
  now.level = Math.max(-mostDebt, Math.min(quota, now.level));
  if (!isSamePeriod) now.part = 0;
  return now;
}

/** Adds what has refilled by the rate of the state. Its level may pass the capacity. */
function refillAtOldRate(now: BucketState, old: BucketState, limit: BucketLimit, nowMs: number): void {
  const { refillUnits, refillPeriodMs } = old;
  const elapsedMs = nowMs - now.timeMs;
  if (limit.byInterval === true) {
    const periods = Math.floor(elapsedMs / refillPeriodMs);
    now.level += periods * refillUnits;
    now.timeMs += periods * refillPeriodMs;
    return;
  }
  const parts = old.level * refillPeriodMs + old.part + elapsedMs * refillUnits;
  now.level = Math.floor(parts / refillPeriodMs);
  now.part = parts - now.level * refillPeriodMs;
  now.timeMs = nowMs;
}

/**
 * The content that a bucket without a capacity would have now, as a whole number of parts of 1 / `refillPeriodMs` of a unit. If
 * much more time has passed than the bucket takes to fill, the product may be inexact. It is then far above the capacity.
 */
function refilled(state: BucketState, limit: BucketLimit, nowMs: number): number {
  return state.level * limit.refillPeriodMs + state.part + (nowMs - state.timeMs) * limit.refillUnits;
}

/** The content of the bucket now, in these parts. */
export function held(state: BucketState, limit: BucketLimit, nowMs: number): number {
  return Math.min(limit.quota * limit.refillPeriodMs, refilled(state, limit, nowMs));
}

/** Whole units in the bucket now. */
export function bucketFree(state: BucketState, limit: BucketLimit, nowMs: number): number {
  return Math.floor(held(state, limit, nowMs) / limit.refillPeriodMs);
}

/** Milliseconds until a bucket of a capacity holds this many units: 0 if it does now, `'never'` if it cannot. */
export function bucketUntilMs(
  state: BucketState,
  limit: BucketLimit,
  capacity: number,
  units: number,
  nowMs: number,
): number | 'never' {
  if (units > capacity) return 'never';
  const missing = units * limit.refillPeriodMs - refilled(state, limit, nowMs);
  if (missing <= 0) return 0;
  return limit.refillUnits === 0 ? 'never' : Math.ceil(missing / limit.refillUnits);
}

/** Moves the state to now, exact to the part of a unit. */
export function refill(state: BucketState, limit: BucketLimit, nowMs: number): void {
  const { refillPeriodMs } = limit;
  const now = held(state, limit, nowMs);
  noteLimit(state, limit, refilled(state, limit, nowMs));
  state.level = Math.floor(now / refillPeriodMs);
  state.part = now - state.level * refillPeriodMs;
  state.timeMs = nowMs;
}

/**
 * Notes the rate of the limit by which a state is written, and the largest capacity.
 *
 * @param parts - what the bucket would hold now without a capacity, in parts of 1 / `refillPeriodMs` of a unit
 */
export function noteLimit(state: BucketState, limit: BucketLimit, parts: number): void {
  const capacity = knownCapacity(limit);
  state.refillUnits = knownUnits(limit);
  if (state.capacity === capacity) return;
  const isFull = capacity === 0 || parts >= state.capacity * limit.refillPeriodMs;
  state.capacity = isFull ? capacity : Math.max(capacity, state.capacity);
}

/** Takes units out, down to a debt of one capacity. A deeper debt of a larger limit stays. */
export function takeOut(state: BucketState, limit: BucketLimit, units: number): void {
  state.level = Math.min(state.level, Math.max(-limit.quota, state.level - units));
}

/** Puts parts of 1 / `refillPeriodMs` of a unit in, up to the capacity. */
export function putIn(state: BucketState, limit: BucketLimit, parts: number): void {
  const { quota, refillPeriodMs } = limit;
  const now = Math.min(quota * refillPeriodMs, state.level * refillPeriodMs + state.part + parts);
  state.level = Math.floor(now / refillPeriodMs);
  state.part = now - state.level * refillPeriodMs;
}
