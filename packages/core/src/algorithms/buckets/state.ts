// Why it is so: docs/why/buckets.md

import { type Limit, largestExact } from '../../values/limit.js';
import { type BucketLimit, type BucketState, bucketSpanMs, UNKNOWN } from '../arithmetic/bucket.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { Layout } from '../kernel.js';

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

/** The part of a definition that token and leaky buckets share. */
export const bucketDefinition = {
  largestQuota: ({ refillPeriodMs }: Limit) => largestExact(refillPeriodMs),
  spanMs: bucketSpanMs,
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
