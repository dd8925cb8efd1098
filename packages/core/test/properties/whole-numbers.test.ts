import { describe, it } from '@jest/globals';
import {
  concurrency,
  fixedWindow,
  type Limit,
  leakyBucket,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';
import { ALGORITHM_NAMES, runs, spanMs, strictLimits } from '@sluice/test-kit/arbitrary-limit';
import fc from 'fast-check';
import type { Algorithm } from '../../src/algorithms/definition.js';
import type { GivenBack } from '../../src/algorithms/kernel.js';
import type { KeyState } from '../../src/algorithms/key-state.js';
import type { LimitState } from '../../src/algorithms/limit-state.js';
import { limitStateOf } from '../algorithms/limit-state-of.js';

/** The state of a key under random operations, kept here for inspection. */
type Operation = {
  readonly verb: 'consume' | 'charge' | 'refund' | 'refund-unspent' | 'refund-newest';
  readonly share: number;
  readonly waitShare: number;
  readonly offMs: number;
};

const operations = fc.array(
  fc.record({
    verb: fc.constantFrom('consume', 'consume', 'charge', 'refund', 'refund-unspent', 'refund-newest'),
    share: fc.oneof(fc.constantFrom(1, 1000, 3000), fc.nat(1200)),
    waitShare: fc.oneof(fc.constantFrom(0, 1000), fc.nat(1500)),
    offMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: -9000, max: 9000 })),
  }),
  { maxLength: 60, size: 'max' },
) as fc.Arbitrary<Operation[]>;

const START_MS = Date.UTC(2026, 0, 1);

function giveBack(limitState: LimitState, units: number, own: Omit<GivenBack, 'units'>): void {
  // Nothing is charged with it, and so nothing comes back.
  if (units > 0) limitState.giveBack({ units, ...own });
}

/** Applies all operations to a new key, and reports its state after each step. */
function operate(
  limit: Limit,
  script: readonly Operation[],
  peek: (limitState: LimitState, keyState: KeyState) => void,
): void {
  const keyState: KeyState = { state: {}, blockEndsMs: 0, admittedMs: -1, strikes: 0, heldUntilMs: 0 };
  let [isNew, timeMs, id] = [true, START_MS, 0];
  for (const { verb, share, waitShare, offMs } of script) {
    timeMs = Math.min(timeMs + Math.floor((spanMs(limit) * waitShare) / 1000), 8e15);
    const nowMs = timeMs + offMs;
    const interval = limit.calendar && { startMs: nowMs - (nowMs % spanMs(limit)), endMs: nowMs + spanMs(limit) };
    const cost = limit.algorithm === 'concurrency' ? 1 : Math.min(Math.ceil((limit.quota * share) / 1000), 2 ** 53 - 1);
    const limitState = limitStateOf(limit, isNew ? undefined : keyState, nowMs, interval);
    id += 1;
    if (verb === 'charge') limitState.charge(cost);
    else if (verb === 'refund')
      giveBack(limitState, cost, { atMs: nowMs - Math.floor(spanMs(limit) / 2), id: `id ${id - 3}` });
    else if (verb === 'refund-unspent')
      giveBack(limitState, cost, { atMs: nowMs - Math.floor(spanMs(limit) / 9), unspent: true });
    else if (verb === 'refund-newest') giveBack(limitState, cost, {});
    else if (limitState.admits(cost, 0)) limitState.spend(cost, `id ${id}`);
    else limitState.refuse(cost, 0, true);
    limitState.writeTo(keyState);
    isNew = false;
    peek(limitState, keyState);
  }
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && !Object.is(value, -0);
const isCount = (value: unknown): boolean => isWhole(value) && (value as number) >= 0;

/** The largest limits that the constructors accept, and slightly smaller ones. */
const MOST_MS = 36_525 * 86_400_000;
const windowMs = fc.oneof(fc.constantFrom(1, 2, 1000, 3_600_000, MOST_MS), fc.integer({ min: 1, max: MOST_MS }));
const most = (ms: number): number => Math.floor(Number.MAX_SAFE_INTEGER / 2 / ms);
const largestWindow = windowMs.map((window) => ({ window, limit: most(1) }));
const largestProduct = windowMs.map((window) => ({ window, limit: most(window) }));
const rate = fc.oneof(
  fc.constantFrom(1e-6, 0.1, 1 / 3, 1, 100 / 60, 1e6, 1e9),
  fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
);

/** A limit's `m` is known only when it is made: make it once to learn it, and again as large as it goes. */
const asLargeAs = (make: (capacity: number) => Limit): Limit => make(most(make(0).refillPeriodMs as number));

const largestLimits: Readonly<Record<Algorithm, fc.Arbitrary<Limit>>> = {
  'sliding-window': fc
    .tuple(largestWindow, fc.integer({ min: 1, max: 1000 }))
    .map(([options, buckets]) => slidingWindow({ ...options, buckets })),
  'sliding-window-log': windowMs.map((window) => slidingWindowLog({ limit: 10_000, window })),
  'sliding-window-counter': largestProduct.map(slidingWindowCounter),
  'fixed-window': largestWindow.map(fixedWindow),
  'token-bucket': fc.oneof(
    rate.map((refillRate) => asLargeAs((capacity) => tokenBucket({ capacity, refillRate }))),
    fc
      .tuple(windowMs, fc.integer({ min: 1, max: 1e9 }))
      .map(([refillInterval, refillRate]) =>
        asLargeAs((capacity) => tokenBucket({ capacity, refillRate, refillInterval })),
      ),
  ),
  'leaky-bucket': rate.map((leakRate) => asLargeAs((capacity) => leakyBucket({ capacity, leakRate }))),
  concurrency: windowMs.map((lease) => concurrency({ limit: 10_000, lease: Math.max(1000, lease) })),
};

describe.each(ALGORITHM_NAMES)('%s', (algorithm) => {
  it.each([
    ['ordinary', strictLimits[algorithm]],
    ['the largest', largestLimits[algorithm]],
  ])('returns safe whole numbers of at least 0 for %s limits', (_size, limits) => {
    fc.assert(
      fc.property(limits, operations, fc.nat(1200), (limit, script, share) =>
        operate(limit, script, (limitState, { state, ...keyState }) => {
          const units = Math.max(1, Math.ceil((limit.quota * share) / 1000));
          const { remaining, delayMs, resetAfterMs } = limitState;
          const answered = { remaining, delayMs, resetAfterMs, retryAfterMs: limitState.untilMs(units) };
          for (const value of Object.values(answered)) {
            if (value !== 'never' && !isCount(value)) throw new Error(`not a count: ${JSON.stringify(answered)}`);
          }
          for (const value of Object.values({ ...keyState, ...state }).flat()) {
            if (typeof value === 'number' && !isWhole(value)) throw new Error(`not whole: ${JSON.stringify(state)}`);
          }
        }),
      ),
      runs(),
    );
  });

  it('keeps its state within bounds under any operations', () => {
    fc.assert(
      fc.property(strictLimits[algorithm], operations, (limit, script) =>
        operate(limit, script, (_limitState, { state }) => holdSmall(limit, state)),
      ),
      runs(),
    );
  });
});

type States = Partial<{
  readonly ends: number[];
  readonly units: number[];
  readonly used: number;
  readonly level: number;
  readonly part: number;
  readonly count: number;
  readonly previous: number;
  readonly current: number;
  readonly ids: string[];
}>;

function holdSmall(limit: Limit, state: States): void {
  const isSmall = state.ids ? holdFewSlots(limit, state.ids, state.ends) : holdFewUnits(limit, state);
  if (!isSmall) throw new Error(`out of bounds: ${JSON.stringify(state)}`);
}

function holdFewSlots({ quota }: Limit, ids: readonly string[], ends: readonly number[] = []): boolean {
  return ids.length <= quota && ids.length === ends.length && new Set(ids).size === ids.length;
}

function holdFewUnits(limit: Limit, state: States): boolean {
  const { quota, buckets, refillPeriodMs: m = 1 } = limit;
  const { ends = [], units = [], used = 0, level = 0, part = 0, count = 0, previous = 0, current = 0 } = state;
  const total = units.reduce((sum, unit) => sum + unit, 0);
  return (
    ends.length <= Math.max((buckets ?? 0) + 1, quota <= (buckets ?? quota) ? 2 * quota + 1 : 0) &&
    ends.every((end, i) => i === 0 || (ends[i - 1] as number) < end) &&
    units.length === ends.length &&
    units.every((unit, i) => unit > 0 || (unit === 0 && i === 0 && units.length > 1)) &&
    total === used &&
    Math.max(used, count, previous, current) <= 2 * quota &&
    Math.abs(level) <= quota &&
    part >= 0 &&
    part < m
  );
}
