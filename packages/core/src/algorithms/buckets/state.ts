import { type Limit, largestExact } from '../../values/limit.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { InPlaceDecision, Layout } from '../kernel.js';

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

/** A limit by a bucket: `refillUnits` come back per `refillPeriodMs`, up to `capacity`. */
export type BucketLimit = Limit & {
  readonly capacity: number;
  readonly refillUnits: number;
  readonly refillPeriodMs: number;
};

/** In place of `refillUnits`, for states of earlier versions, and for rates above 10^12 units per period. */
const UNKNOWN = -1;
const LARGEST_KNOWN = 1e12 - 2;

/** The units of a limit's rate, as far as a state says them. */
export const knownUnits = ({ refillUnits }: BucketLimit): number =>
  refillUnits <= LARGEST_KNOWN ? refillUnits : UNKNOWN;

/** Redis keeps a capacity and the units of a rate in one number, if they are at most these. */
const LARGEST_CAPACITY = 2 ** 31 - 1;
const MOST_UNITS_BESIDE = 2 ** 16 - 2;

/** The capacity of a limit, as far as a state says it. */
const knownCapacity = ({ capacity, refillUnits }: BucketLimit): number =>
  capacity <= LARGEST_CAPACITY && refillUnits <= MOST_UNITS_BESIDE ? capacity : 0;

/** A period, the units of a rate, and a capacity are packed into one number if each is below this. */
const PERIODS = 2 ** 24;
const UNITS = 2 ** 9;
const CAPACITIES = 2 ** 20;

/** Returns them as one number below 0; 0 if they do not fit, or the rate is not known. */
function packed(refillUnits: number, refillPeriodMs: number, capacity: number): number {
  const fits = refillUnits >= 0 && refillUnits < UNITS && refillPeriodMs < PERIODS && capacity < CAPACITIES;
  return fits ? -((capacity * UNITS + refillUnits) * PERIODS + refillPeriodMs) : 0;
}

/**
 * Level and part are stored as one number. Like every product with `refillPeriodMs`, it stays below 2^53. Then come the
 * rate with the capacity, and the time. If they cannot be packed, the period is there alone, and its units and the capacity come last.
 * Without them, they are not known.
 */
export const bucketLayout: Layout<BucketState> = {
  length: ({ refillUnits, refillPeriodMs, capacity }) =>
    (refillUnits === UNKNOWN && capacity === 0) || packed(refillUnits, refillPeriodMs, capacity) !== 0 ? 3 : 5,

  read(state, numbers, from, length) {
    const units = numbers[from] as number;
    const rate = numbers[from + 1] as number;
    if (rate < 0) {
      const rest = Math.floor(-rate / PERIODS);
      state.capacity = Math.floor(rest / UNITS);
      state.refillUnits = rest - state.capacity * UNITS;
      state.refillPeriodMs = -rate - rest * PERIODS;
    } else {
      state.refillUnits = length > 3 ? (numbers[from + 3] as number) : UNKNOWN;
      state.refillPeriodMs = rate;
      state.capacity = length > 3 ? (numbers[from + 4] as number) : 0;
    }
    state.level = Math.floor(units / state.refillPeriodMs);
    state.part = units - state.level * state.refillPeriodMs;
    state.timeMs = numbers[from + 2] as number;
  },

  write(state, numbers, from) {
    const { level, part, refillUnits, refillPeriodMs, capacity, timeMs } = state;
    const rate = packed(refillUnits, refillPeriodMs, capacity);
    numbers[from] = level * refillPeriodMs + part;
    numbers[from + 1] = rate || refillPeriodMs;
    numbers[from + 2] = timeMs;
    if (bucketLayout.length(state) === 3) return;
    numbers[from + 3] = refillUnits;
    numbers[from + 4] = capacity;
  },
};

/** The state of a key that was never seen. */
export function fullBucket(limit: BucketLimit, nowMs: number): BucketState {
  const { capacity, refillPeriodMs } = limit;
  return { level: capacity, part: 0, refillUnits: knownUnits(limit), refillPeriodMs, capacity: 0, timeMs: nowMs };
}

/** Whether a bucket was written by a clock that was ahead of this one. */
export function isBucketAhead(state: BucketState, _limit: BucketLimit, nowMs: number): boolean {
  return state.timeMs > nowMs;
}

/**
 * Returns the state under this limit: what has refilled by another rate added, the level within the capacity, a time ahead of
 * the clock set back, and a part dropped if it was measured by another period.
 */
export function bucketAt(state: BucketState, limit: BucketLimit, nowMs: number): BucketState {
  const { capacity, refillPeriodMs } = limit;
  const isKnown = state.refillUnits !== UNKNOWN;
  const isSamePeriod = state.refillPeriodMs === refillPeriodMs;
  const isSame = isSamePeriod && (!isKnown || state.refillUnits === knownUnits(limit));
  if (isSame && state.timeMs <= nowMs && state.level <= capacity && state.level >= -capacity) return state;
  const refillUnits = isSame ? state.refillUnits : knownUnits(limit);
  const now = { ...state, refillUnits, refillPeriodMs, timeMs: Math.min(state.timeMs, nowMs) };
  if (!isSame && isKnown) refillAtOldRate(now, state, limit, nowMs);
  if (!isSame && (now.level >= now.capacity || knownCapacity(limit) === 0)) now.capacity = 0;
  now.level = Math.max(-capacity, Math.min(capacity, now.level));
  if (!isSamePeriod) now.part = 0;
  return now;
}

/** Adds what has refilled by the rate of the state. Its level may pass the capacity. */
function refillAtOldRate(now: BucketState, old: BucketState, { byInterval }: BucketLimit, nowMs: number): void {
  const { refillUnits, refillPeriodMs } = old;
  const elapsedMs = nowMs - now.timeMs;
  if (byInterval) {
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
 * The content of the bucket now, as a whole number of parts of 1 / `refillPeriodMs` of a unit. If much more time has
 * passed than the bucket takes to fill, the product may be inexact. It is then far above the capacity, and the minimum
 * is the capacity.
 */
export function held(state: BucketState, limit: BucketLimit, nowMs: number): number {
  const { capacity, refillUnits, refillPeriodMs } = limit;
  return Math.min(
    capacity * refillPeriodMs,
    state.level * refillPeriodMs + state.part + (nowMs - state.timeMs) * refillUnits,
  );
}

/** Whole units in the bucket now. */
export function bucketFree(state: BucketState, limit: BucketLimit, nowMs: number): number {
  return Math.floor(held(state, limit, nowMs) / limit.refillPeriodMs);
}

/** Milliseconds until the bucket holds this many units: 0 if it does now, `'never'` if it cannot. */
export function bucketUntilMs(state: BucketState, limit: BucketLimit, units: number, nowMs: number): number | 'never' {
  const { capacity, refillUnits, refillPeriodMs } = limit;
  if (units > capacity) return 'never';
  const missing = units * refillPeriodMs - held(state, limit, nowMs);
  if (missing <= 0) return 0;
  return refillUnits === 0 ? 'never' : Math.ceil(missing / refillUnits);
}

/** Decides in place, for a bucket that refills continuously. */
export function decideInBucket(limit: BucketLimit, decision: InPlaceDecision): boolean {
  const { capacity, refillUnits, refillPeriodMs } = limit;
  const { numbers, from, cost, nowMs } = decision;
  const full = capacity * refillPeriodMs;
  const kept = numbers[from] as number;
  const elapsedMs = nowMs - (numbers[from + 2] as number);
  const rate = packed(refillUnits, refillPeriodMs, knownCapacity(limit));
  if (elapsedMs < 0 || rate === 0 || numbers[from + 1] !== rate || kept < -full) return false;
  const held = Math.min(full, kept + elapsedMs * refillUnits);
  const available = Math.floor(held / refillPeriodMs);
  if (cost > capacity || cost === available) return false;
  const allowed = cost < available;
  const left = allowed ? held - cost * refillPeriodMs : held;
  if (allowed) {
    numbers[from] = left;
    numbers[from + 2] = nowMs;
  }
  const missing = cost * refillPeriodMs - left;
  decision.allowed = allowed;
  decision.available = allowed ? available - cost : available;
  decision.resetAfterMs = Math.ceil((full - left) / refillUnits);
  decision.retryAfterMs = missing <= 0 ? 0 : Math.ceil(missing / refillUnits);
  decision.delayMs = 0;
  return true;
}

/** Moves the state to now, exact to the part of a unit. */
export function refill(state: BucketState, limit: BucketLimit, nowMs: number): void {
  const { refillUnits, refillPeriodMs } = limit;
  noteLimit(state, limit, state.level * refillPeriodMs + state.part + (nowMs - state.timeMs) * refillUnits);
  const now = held(state, limit, nowMs);
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
  const isFull = capacity === 0 || parts >= state.capacity * limit.refillPeriodMs;
  state.capacity = isFull ? capacity : Math.max(capacity, state.capacity);
}

/**
 * Returns the limit with the largest capacity, if that is another one: as long as units are missing by it, the state matters.
 */
export function largestBucket(state: BucketState, limit: BucketLimit): BucketLimit | undefined {
  const { capacity } = state;
  return capacity > limit.capacity ? { ...limit, quota: capacity, capacity } : undefined;
}

/** Takes units out, down to a debt of one capacity. */
export function takeOut(state: BucketState, limit: BucketLimit, units: number): void {
  state.level = Math.max(-limit.quota, state.level - units);
}

/** Puts parts of 1 / `refillPeriodMs` of a unit in, up to the capacity. */
export function putIn(state: BucketState, { capacity, refillPeriodMs }: BucketLimit, parts: number): void {
  const now = Math.min(capacity * refillPeriodMs, state.level * refillPeriodMs + state.part + parts);
  state.level = Math.floor(now / refillPeriodMs);
  state.part = now - state.level * refillPeriodMs;
}

/** The part of a definition that token and leaky buckets share. */
export const bucketDefinition = {
  largestQuota: ({ refillPeriodMs }: Limit) => largestExact(refillPeriodMs),
  spanMs: ({ quota, refillUnits, refillPeriodMs }) => Math.ceil((quota * refillPeriodMs) / refillUnits),
  longestWaitMs: ({ quota, refillUnits, refillPeriodMs }) => (2 * Math.ceil(quota / refillUnits) + 1) * refillPeriodMs,
  share: (limit, quota, instances) => ({
    ...limit,
    quota,
    capacity: quota,
    refillPeriodMs: limit.refillPeriodMs * instances,
  }),
  quotaUnit: undefined,
  headerWindowMs: ({ capacity, refillUnits, refillPeriodMs }) =>
    refillUnits === 0 ? undefined : (capacity * refillPeriodMs) / refillUnits,
  refillMs: ({ refillUnits, refillPeriodMs }, units) =>
    refillUnits === 0 ? undefined : Math.ceil((units * refillPeriodMs) / refillUnits),
  listLength: () => undefined,
} satisfies Partial<AlgorithmDefinition<never, never, BucketLimit>>;
