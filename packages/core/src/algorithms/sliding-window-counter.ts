import { checkExact, checkLimitOptions, type Limit, largestExact } from '../values/limit.js';
import type { AlgorithmDefinition } from './definition.js';
import type { Kernel } from './kernel.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions, windowDefinition } from './window.js';

/**
 * A sliding window counter: it adds the count of this window and a part of the count of the previous one, in proportion
 * to the overlap. Choose it for the smallest state that slides: two counts per key. It assumes that requests in the
 * previous window were spread evenly. If they were not, up to twice the limit can be admitted in one window;
 * `slidingWindow` avoids that.
 *
 * With `countRejected: 'always'`, a fraction of a unit is rounded up, otherwise down. The product of limit and window
 * in milliseconds is at most 2^52 - 1: for a window of a month, a limit of at most 1.7 million.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example slidingWindowCounter({ limit: 1000, window: '1m' })
 * @see "How we built rate limiting capable of scaling to millions of domains", Cloudflare, 2017
 */
export function slidingWindowCounter(options: WindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window']);
  const numbers = quotaAndWindow(options);
  checkExact(numbers.quota, 'limit', numbers.windowMs);
  return Object.freeze({ algorithm: 'sliding-window-counter', ...numbers, ...shared });
}

/** Units of the clock-aligned window that began at `startMs`, and of the window before it. */
interface CounterState {
  startMs: number;
  previous: number;
  current: number;
}

const startOf = (timeMs: number, windowMs: number): number => Math.floor(timeMs / windowMs) * windowMs;

/**
 * Whether a fraction of a unit counts as a whole unit. Otherwise it counts as 0. Rounding down would admit a key that
 * used up its limit at the end of a window and keeps asking.
 */
const roundsUp = (limit: WindowLimit): boolean => limit.countRejected === 'always';

/** The weight of the previous window. Its count is capped at twice the limit, so that products stay exact. */
function overlap(previous: number, elapsedMs: number, limit: WindowLimit): number {
  const { windowMs, quota } = limit;
  const weight = (Math.min(previous, 2 * quota) * (windowMs - elapsedMs)) / windowMs;
  return roundsUp(limit) ? Math.ceil(weight) : Math.floor(weight);
}

/**
 * The first moment of a window, in milliseconds after its start, at which `units` more fit beside `current`, given the
 * count of the previous window. Undefined if they do not fit within this window.
 */
function fitsAfterMs(previous: number, current: number, units: number, limit: WindowLimit): number | undefined {
  const { windowMs } = limit;
  const room = limit.quota - current - units;
  if (room < 0) return undefined;
  if (previous <= room) return 0;
  if (roundsUp(limit)) return Math.ceil((windowMs * previous - room * windowMs) / previous);
  return Math.floor((windowMs * previous - (room + 1) * windowMs) / previous) + 1;
}

/** Milliseconds until this many units fit, if they are within the quota and do not fit now. */
function fitsInMs(previous: number, current: number, elapsedMs: number, units: number, limit: WindowLimit): number {
  const most = 2 * limit.quota;
  const inThis = fitsAfterMs(Math.min(previous, most), current, units, limit);
  if (inThis !== undefined) return inThis - elapsedMs;
  // In the next window, the current window is the previous one. At the end of that window its weight is 0.
  return limit.windowMs - elapsedMs + (fitsAfterMs(Math.min(current, most), 0, units, limit) as number);
}

/**
 * Moves a state to the window that began at `nowStartMs`. If the old start is not aligned to this window length, it is
 * aligned first.
 */
function turnedTo(nowStartMs: number, state: CounterState, windowMs: number): CounterState {
  const startMs = startOf(state.startMs, windowMs);
  return { startMs: nowStartMs, previous: startMs + windowMs === nowStartMs ? state.current : 0, current: 0 };
}

function takeBack(state: CounterState, window: 'current' | 'previous', units: number): number {
  const taken = Math.min(units, state[window]);
  state[window] -= taken;
  return taken;
}

/** Counts units per clock-aligned window, and weighs the previous window by its overlap. */
const slidingWindowCounterKernel: Kernel<CounterState, WindowLimit> = {
  layout: {
    length: () => 3,

    read(state, numbers, from) {
      state.startMs = numbers[from] as number;
      state.previous = numbers[from + 1] as number;
      state.current = numbers[from + 2] as number;
    },

    write({ startMs, previous, current }, numbers, from) {
      numbers[from] = startMs;
      numbers[from + 1] = previous;
      numbers[from + 2] = current;
    },
  },

  fresh: (limit, nowMs) => ({ startMs: startOf(nowMs, limit.windowMs), previous: 0, current: 0 }),

  isAhead: (state, limit, nowMs) => state.startMs > startOf(nowMs, limit.windowMs),

  normalize(state, limit, nowMs) {
    const startMs = startOf(nowMs, limit.windowMs);
    if (state.startMs === startMs) return state;
    return state.startMs > startMs ? { ...state, startMs } : turnedTo(startMs, state, limit.windowMs);
  },

  available: (state, limit, nowMs) =>
    limit.quota - state.current - overlap(state.previous, nowMs - state.startMs, limit),

  waitMs(state, limit, units, nowMs) {
    if (units > limit.quota) return 'never';
    if (units <= this.available(state, limit, nowMs)) return 0;
    return fitsInMs(state.previous, state.current, nowMs - state.startMs, units, limit);
  },

  spend(state, limit, units) {
    state.current += Math.min(units, Math.max(0, 2 * limit.quota - state.current));
  },

  decideInPlace(limit, decision) {
    const { quota, windowMs } = limit;
    const { numbers, from, cost, nowMs } = decision;
    const startMs = numbers[from] as number;
    if (startMs !== startOf(nowMs, windowMs) || cost > quota) return false;
    const elapsedMs = nowMs - startMs;
    const previous = numbers[from + 1] as number;
    const before = numbers[from + 2] as number;
    const available = quota - before - overlap(previous, elapsedMs, limit);
    if (cost === available) return false;
    const allowed = cost < available;
    const current = allowed ? before + cost : before;
    const left = allowed ? available - cost : available;
    numbers[from + 2] = current;
    decision.allowed = allowed;
    decision.available = left;
    decision.resetAfterMs = fitsInMs(previous, current, elapsedMs, quota, limit);
    decision.retryAfterMs = cost <= left ? 0 : fitsInMs(previous, current, elapsedMs, cost, limit);
    decision.delayMs = 0;
    return true;
  },

  refund(state, limit, { units, atMs }, nowMs) {
    let rest = units;
    if (atMs === undefined || atMs >= state.startMs) rest -= takeBack(state, 'current', rest);
    const isPrevious = atMs === undefined || (atMs < state.startMs && atMs >= state.startMs - limit.windowMs);
    // Units without weight cannot be given back: a store may have removed them already.
    if (isPrevious && overlap(state.previous, nowMs - state.startMs, limit) > 0)
      rest -= takeBack(state, 'previous', rest);
    return rest < units;
  },
};

/** The definition of sliding window counters. */
export const slidingWindowCounterDefinition: AlgorithmDefinition<'sliding-window-counter', CounterState, WindowLimit> =
  {
    ...windowDefinition,
    algorithm: 'sliding-window-counter',
    tag: 'sc',
    kernel: slidingWindowCounterKernel,
    largestQuota: ({ windowMs }) => largestExact(windowMs),
    bound: (limit, windowMs, _largestCost, margin) =>
      (limit.quota + margin) * (Math.ceil(windowMs / limit.windowMs) + 1),
    // There is no bound if units count in a later window than the one they are spent in.
    lease: undefined,
    // What counts of the window before is rounded for each key, so that parts can count less than the whole.
    guarantee: undefined,
  };
