import { checkLimitOptions, type Limit } from '../limit.js';
import { checkWhole } from '../option-checks.js';
import type { Kernel, Layout } from './kernel.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions } from './window.js';

/** What `slidingWindow` is told. */
export interface SlidingWindowOptions extends WindowOptions {
  /** Sub-windows, 1 to 1,000; default 20. More of them waste less of the limit and take more memory. */
  buckets?: number;
}

const DEFAULT_BUCKETS = 20;

/**
 * A sliding window, the default: at most `limit` units in every window of this length, wherever it is laid.
 *
 * Units are counted in sub-windows ("grains") and each counts until a whole window after its grain has ended, so the
 * answer errs only towards strict, by at most 1 / (buckets + 1) of the sustained rate. Limits of at most `buckets`
 * units are exact.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example slidingWindow({ limit: 100, window: '1m' })
 */
export function slidingWindow(options: SlidingWindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window', 'buckets']);
  const buckets = checkWhole(options.buckets ?? DEFAULT_BUCKETS, 'buckets', 1, 1000);
  return Object.freeze({ algorithm: 'sliding-window', ...quotaAndWindow(options), buckets, ...shared });
}

/** A limit that `slidingWindow` made. */
type SubWindowLimit = WindowLimit & { readonly buckets: number };

/**
 * Units by the last millisecond of their grain, oldest first. `grainMs` is the grain that the newest was written in;
 * `used` is the sum of all units, those whose time is over included until the next write drops them.
 */
export interface SlidingWindowState {
  readonly ends: number[];
  readonly units: number[];
  used: number;
  grainMs: number;
  /** How many entries, from the oldest on, are as they were read. */
  unchanged: number;
}

/** How long the grains of a limit are, and how many of them are kept. */
interface Grains<L extends WindowLimit> extends Pick<Kernel, 'numbers'> {
  grainMs(limit: L): number;
  /** The coarsest grain that any limit with these numbers but another quota uses. */
  coarsestMs(limit: L): number;
  most(limit: L): number;
}

const subWindows: Grains<SubWindowLimit> = {
  numbers: () => ({ windowMs: 1, buckets: 1 }),
  grainMs: (limit) => (limit.quota <= limit.buckets ? 1 : subWindows.coarsestMs(limit)),
  coarsestMs: (limit) => Math.ceil(limit.windowMs / limit.buckets),
  most: (limit) => limit.buckets + 1,
};

const endOfGrain = (timeMs: number, grainMs: number): number => (Math.floor(timeMs / grainMs) + 1) * grainMs - 1;

const newestEnd = ({ ends }: SlidingWindowState): number => (ends.length > 0 ? (ends[ends.length - 1] as number) : -1);

/** The grain, then end and units of each entry. */
const layout: Layout<SlidingWindowState> = {
  length: ({ ends }) => 1 + 2 * ends.length,

  read(state, numbers, from, length) {
    const { ends, units } = state;
    const count = (length - 1) >> 1;
    let used = 0;
    for (let i = 0, at = from + 1; i < count; i += 1, at += 2) {
      const recorded = numbers[at + 1] as number;
      ends[i] = numbers[at] as number;
      units[i] = recorded;
      used += recorded;
    }
    if (ends.length > count) ends.length = units.length = count;
    state.used = used;
    state.grainMs = numbers[from] as number;
    state.unchanged = count;
  },

  write(state, numbers, from, isReadThere) {
    const { ends, units } = state;
    const count = ends.length;
    const first = isReadThere ? state.unchanged : 0;
    numbers[from] = state.grainMs;
    for (let i = first, at = from + 1 + 2 * first; i < count; i += 1, at += 2) {
      numbers[at] = ends[i] as number;
      numbers[at + 1] = units[i] as number;
    }
    state.unchanged = count;
  },
};

function firstLive(state: SlidingWindowState, windowMs: number, nowMs: number): number {
  let i = 0;
  while (i < state.ends.length && nowMs >= (state.ends[i] as number) + windowMs) i += 1;
  return i;
}

/** Units that count now. */
function usedNow(state: SlidingWindowState, windowMs: number, nowMs: number): number {
  const live = firstLive(state, windowMs, nowMs);
  let used = state.used;
  for (let i = 0; i < live; i += 1) used -= state.units[i] as number;
  return used;
}

function dropExpired(state: SlidingWindowState, windowMs: number, nowMs: number): void {
  const live = firstLive(state, windowMs, nowMs);
  for (let i = 0; i < live; i += 1) state.used -= state.units[i] as number;
  if (live > 0) {
    state.ends.splice(0, live);
    state.units.splice(0, live);
    state.unchanged = 0;
  }
}

/**
 * A copy with every end moved `byMs` earlier, rounded up to a coarser grain and no later than `latestMs`, ends that
 * meet becoming one.
 */
function regrained(state: SlidingWindowState, byMs: number, grainMs: number, latestMs: number): SlidingWindowState {
  // A grain that has become finer leaves the ends as they are: what they stand for is known no better.
  const roundMs = grainMs > state.grainMs ? grainMs : 1;
  const ends: number[] = [];
  const units: number[] = [];
  state.ends.forEach((oldEnd, i) => {
    const end = Math.min(endOfGrain(oldEnd - byMs, roundMs), latestMs);
    const newest = ends.length - 1;
    if (ends[newest] === end) units[newest] = (units[newest] as number) + (state.units[i] as number);
    else {
      ends.push(end);
      units.push(state.units[i] as number);
    }
  });
  return { ends, units, used: state.used, grainMs: Math.max(grainMs, state.grainMs), unchanged: 0 };
}

function takeBack(state: SlidingWindowState, i: number, units: number): number {
  const taken = Math.min(units, state.units[i] as number);
  state.units[i] = (state.units[i] as number) - taken;
  state.used -= taken;
  state.unchanged = Math.min(state.unchanged, i);
  if (state.units[i] === 0) {
    state.ends.splice(i, 1);
    state.units.splice(i, 1);
  }
  return taken;
}

/** The kernel over sub-windows and over the log, which differ in their grains alone. */
export function slidingKernel<L extends WindowLimit>(grains: Grains<L>): Kernel<SlidingWindowState, L> {
  /** The latest end that a clock which is right has written by now. */
  const latestMs = (limit: L, nowMs: number): number => endOfGrain(nowMs, grains.coarsestMs(limit));

  return {
    numbers: grains.numbers,

    layout,

    fresh: (limit) => ({ ends: [], units: [], used: 0, grainMs: grains.grainMs(limit), unchanged: 0 }),

    isAhead: (state, limit, nowMs) => newestEnd(state) > latestMs(limit, nowMs),

    at(state, limit, nowMs) {
      const grainMs = grains.grainMs(limit);
      if (grainMs <= state.grainMs && !this.isAhead(state, limit, nowMs)) return state;
      const latest = latestMs(limit, nowMs);
      // An end that is late only by an earlier limit's grain says nothing against the times of the others.
      const byMs = Math.max(0, newestEnd(state) - Math.max(latest, endOfGrain(nowMs, state.grainMs)));
      return regrained(state, byMs, grainMs, latest);
    },

    free: (state, limit, nowMs) => limit.quota - usedNow(state, limit.windowMs, nowMs),

    untilMs(state, limit, units, nowMs) {
      if (units > limit.quota) return 'never';
      const { windowMs } = limit;
      let used = usedNow(state, windowMs, nowMs);
      // For the whole limit even the newest has to go, and what is there counts at least one unit.
      if (units === limit.quota) return used > 0 ? newestEnd(state) + windowMs - nowMs : 0;
      let untilMs = 0;
      for (let i = firstLive(state, windowMs, nowMs); used + units > limit.quota; i += 1) {
        used -= state.units[i] as number;
        untilMs = (state.ends[i] as number) + windowMs - nowMs;
      }
      return untilMs;
    },

    spend(state, limit, units, nowMs) {
      dropExpired(state, limit.windowMs, nowMs);
      const recorded = Math.min(units, Math.max(0, 2 * limit.quota - state.used));
      if (recorded === 0) return;
      const grainMs = grains.grainMs(limit);
      const end = endOfGrain(nowMs, grainMs);
      const newest = state.ends.length - 1;
      const last = newestEnd(state);
      if (last < end && state.ends.length < grains.most(limit)) {
        state.ends.push(end);
        state.units.push(recorded);
      } else {
        // The list is full, or a coarser grain covers this time already: counting longer is the safe side.
        state.ends[newest] = Math.max(last, end);
        state.units[newest] = (state.units[newest] as number) + recorded;
        state.unchanged = Math.min(state.unchanged, newest);
      }
      state.used += recorded;
      if (last <= end) state.grainMs = grainMs;
    },

    giveBack(state, limit, units, nowMs, atMs) {
      const { windowMs } = limit;
      const live = firstLive(state, windowMs, nowMs);
      let rest = units;
      if (atMs === undefined) {
        while (rest > 0 && state.ends.length > live) rest -= takeBack(state, state.ends.length - 1, rest);
      } else {
        const end = endOfGrain(atMs, grains.grainMs(limit));
        // Grains that were joined end later, so the units are in the first that ends no earlier.
        const i = nowMs < end + windowMs ? state.ends.findIndex((other, j) => j >= live && other >= end) : -1;
        if (i >= 0) rest -= takeBack(state, i, units);
      }
      return rest < units;
    },

    lease: { stricter: (limit, leaseMs) => ({ ...limit, windowMs: limit.windowMs + leaseMs }) },

    bound: (limit, windowMs) => limit.quota * Math.ceil(windowMs / limit.windowMs),
  };
}

/** The sliding window over the sub-windows of its limit. */
export const slidingWindowKernel = slidingKernel(subWindows);
