import { checkLimitOptions, type Limit, largestExact } from '../../values/limit.js';
import { checkWhole } from '../../values/option-checks.js';
import type { AlgorithmDefinition } from '../definition.js';
import type { Kernel } from '../kernel.js';
import { quotaAndWindow, type WindowLimit, type WindowOptions, windowDefinition } from '../window.js';
import {
  firstLive,
  joinPast,
  keepWindow,
  makeRoom,
  newestEnd,
  packedWindow,
  type SlidingState,
  slidingLayout,
  takeBack,
  takeNewest,
  usedNow,
} from './state.js';

/** The options of `slidingWindow`. */
export interface SlidingWindowOptions extends WindowOptions {
  /**
   * The number of sub-windows: 1 to 1,000. Default: 20. More sub-windows waste less of the limit, and take more memory.
   */
  buckets?: number;
}

const DEFAULT_BUCKETS = 20;

/**
 * A sliding window: at most `limit` units in any window of this length, wherever it begins. It is the default
 * algorithm; choose it if you have no reason for another one.
 *
 * Units are counted in sub-windows. A unit counts until one window after its sub-window has ended. The result is
 * therefore never too generous, and stricter than the limit by at most 1 / (buckets + 1) of the sustained rate. A limit
 * of at most `buckets` units is exact.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example slidingWindow({ limit: 100, window: '1m' })
 */
export function slidingWindow(options: SlidingWindowOptions): Limit {
  const shared = checkLimitOptions(options, ['limit', 'window', 'buckets']);
  const buckets = checkWhole(options.buckets ?? DEFAULT_BUCKETS, 'buckets', 1, 1000);
  return Object.freeze({ algorithm: 'sliding-window', ...quotaAndWindow(options), buckets, ...shared });
}

/** A limit made by `slidingWindow`. */
type SubWindowLimit = WindowLimit & { readonly buckets: number };

/** Whether this limit is counted by the millisecond. */
const isFine = ({ quota, buckets, coarse }: SubWindowLimit): boolean => quota <= buckets && !coarse;

/** The length of a limit's sub-windows, and the most entries that are kept, including an empty one. */
interface SubWindows<L extends WindowLimit> {
  subWindowMs(limit: L): number;
  /** The longest sub-window of any limit that differs from this one only in its quota. */
  coarsestMs(limit: L): number;
  most(limit: L): number;
}

/** The last millisecond of the sub-window that holds a time. */
const endOfSubWindow = (timeMs: number, subWindowMs: number): number =>
  (Math.floor(timeMs / subWindowMs) + 1) * subWindowMs - 1;

/**
 * Returns a copy with every end moved `byMs` earlier, rounded up to a longer sub-window, and at most `latestMs`.
 * Entries with the same end are merged.
 */
function resampled(state: SlidingState, byMs: number, subWindowMs: number, latestMs: number): SlidingState {
  // If sub-windows became shorter, the ends stay: the exact times of the units are not known.
  const roundMs = subWindowMs > state.subWindowMs ? subWindowMs : 1;
  const ends: number[] = [];
  const units: number[] = [];
  state.ends.forEach((oldEnd, i) => {
    const end = Math.min(endOfSubWindow(oldEnd - byMs, roundMs), latestMs);
    const newest = ends.length - 1;
    if (ends[newest] === end) units[newest] = (units[newest] as number) + (state.units[i] as number);
    else {
      ends.push(end);
      units.push(state.units[i] as number);
    }
  });
  const { used, windowMs, head } = state;
  return { ends, units, used, subWindowMs: Math.max(subWindowMs, state.subWindowMs), windowMs, unchanged: 0, head };
}

/** Adds units to the sub-window of now. It is a new entry if there is room for one. */
function add(state: SlidingState, units: number, nowMs: number, subWindowMs: number, hasRoom: boolean): void {
  const end = endOfSubWindow(nowMs, subWindowMs);
  const last = newestEnd(state);
  if (last < end && hasRoom) {
    state.ends.push(end);
    state.units.push(units);
  } else {
    // The list is full, or a longer sub-window already covers this time. Counting longer is the strict choice.
    const newest = state.ends.length - 1;
    state.ends[newest] = Math.max(last, end);
    state.units[newest] = (state.units[newest] as number) + units;
    state.unchanged = Math.min(state.unchanged, newest);
  }
  state.used += units;
  if (last <= end) state.subWindowMs = subWindowMs;
}

/**
 * Returns the index of the entry that has the units which were charged at a time; undefined if it has none any more. Sub-windows
 * that have become longer end later, so it is the first entry that ends at or after this time. If that is a later sub-window, a
 * refund has taken the units.
 */
function chargedEntry(state: SlidingState, live: number, atMs: number, subWindowMs: number): number | undefined {
  const end = endOfSubWindow(atMs, subWindowMs);
  const i = state.ends.findIndex((other, j) => j >= live && other >= end);
  const isLater = i < 0 || (state.ends[i] as number) >= atMs + Math.max(subWindowMs, state.subWindowMs);
  return isLater || state.units[i] === 0 ? undefined : i;
}

/** Makes the kernel of the sliding window and of the log. They differ only in their sub-windows. */
export function slidingKernel<L extends WindowLimit>(subWindows: SubWindows<L>): Kernel<SlidingState, L> {
  /** The latest end that a correct clock can have written by now. */
  const latestMs = (limit: L, nowMs: number): number => endOfSubWindow(nowMs, subWindows.coarsestMs(limit));

  return {
    layout: slidingLayout,

    fresh(limit) {
      const subWindowMs = subWindows.subWindowMs(limit);
      return { ends: [], units: [], used: 0, subWindowMs, windowMs: limit.windowMs, unchanged: 0, head: 0 };
    },

    isAhead: (state, limit, nowMs) => newestEnd(state) > latestMs(limit, nowMs),

    normalize(state, limit, nowMs) {
      const subWindowMs = subWindows.subWindowMs(limit);
      if (subWindowMs <= state.subWindowMs && !this.isAhead(state, limit, nowMs)) return state;
      const latest = latestMs(limit, nowMs);
      // If an end is late only because an earlier limit had longer sub-windows, the other times are right.
      const byMs = Math.max(0, newestEnd(state) - Math.max(latest, endOfSubWindow(nowMs, state.subWindowMs)));
      return resampled(state, byMs, subWindowMs, latest);
    },

    available: (state, limit, nowMs) => limit.quota - usedNow(state, limit.windowMs, nowMs),

    waitMs(state, limit, units, nowMs) {
      if (units > limit.quota) return 'never';
      const { windowMs } = limit;
      let used = usedNow(state, windowMs, nowMs);
      // To free the whole limit, even the newest entry has to expire. An entry that counts holds at least one unit.
      if (units === limit.quota) return used > 0 ? newestEnd(state) + windowMs - nowMs : 0;
      let untilMs = 0;
      for (let i = firstLive(state, windowMs, nowMs); used + units > limit.quota; i += 1) {
        used -= state.units[i] as number;
        untilMs = (state.ends[i] as number) + windowMs - nowMs;
      }
      return untilMs;
    },

    spend(state, limit, units, nowMs) {
      const { quota, windowMs } = limit;
      keepWindow(state, windowMs, nowMs);
      const recorded = Math.min(units, 2 * quota);
      if (recorded === 0) return;
      const live = state.windowMs > windowMs ? joinPast(state, firstLive(state, windowMs, nowMs)) : 0;
      const used = live === 0 ? state.used : usedNow(state, windowMs, nowMs);
      makeRoom(state, live, used, 2 * quota, recorded);
      const hasRoom = state.ends.length - live < subWindows.most(limit);
      add(state, recorded, nowMs, subWindows.subWindowMs(limit), hasRoom);
    },

    retentionMs(state, limit, nowMs) {
      if (state.used === 0) return 0;
      return Math.max(0, newestEnd(state) + Math.max(limit.windowMs, state.windowMs) - nowMs);
    },

    refund(state, limit, { units, atMs }, nowMs) {
      const { windowMs } = limit;
      const live = firstLive(state, windowMs, nowMs);
      if (atMs === undefined) return takeNewest(state, live, units) > 0;
      const subWindowMs = subWindows.subWindowMs(limit);
      if (nowMs >= endOfSubWindow(atMs, subWindowMs) + windowMs) return false;
      const i = chargedEntry(state, live, atMs, subWindowMs);
      return i !== undefined && takeBack(state, i, units) > 0;
    },
  };
}

/** The part of a definition that the sliding window and the log share. */
export const slidingDefinition = {
  ...windowDefinition,
  bound: (limit, windowMs, _largestCost, margin) => (limit.quota + margin) * Math.ceil(windowMs / limit.windowMs),
  lease: {
    stricter: <L extends WindowLimit>(limit: L, leaseMs: number): L => ({
      ...limit,
      windowMs: limit.windowMs + leaseMs,
    }),
  },
} satisfies Partial<AlgorithmDefinition<never, never, WindowLimit>>;

const subWindows: SubWindows<SubWindowLimit> = {
  subWindowMs: (limit) => (isFine(limit) ? 1 : subWindows.coarsestMs(limit)),
  coarsestMs: (limit) => Math.ceil(limit.windowMs / limit.buckets),
  // No more sub-windows than this can count at once. If counted by the millisecond, every unit can have an entry of its
  // own.
  most: (limit) => (isFine(limit) ? Math.max(limit.buckets, 2 * limit.quota) : limit.buckets) + 1,
};

/**
 * Decides in place, as long as units are added to the newest sub-window. A new sub-window makes the list longer, and an
 * old one that no longer counts makes it shorter.
 */
const decideInPlace: Kernel<SlidingState, SubWindowLimit>['decideInPlace'] = (limit, decision) => {
  const { quota, windowMs } = limit;
  const { numbers, from, length, cost, nowMs } = decision;
  const oldest = from + 1;
  const newest = from + length - 2;
  if (newest < oldest || cost > quota) return false;
  const newestMs = numbers[newest] as number;
  const coarsestMs = subWindows.coarsestMs(limit);
  const latestMs = endOfSubWindow(nowMs, coarsestMs);
  const isFineLimit = isFine(limit);
  if (numbers[from] !== packedWindow(windowMs, isFineLimit ? 1 : coarsestMs)) return false;
  if (newestMs > latestMs || nowMs >= (numbers[oldest] as number) + windowMs) return false;
  let used = 0;
  for (let at = oldest; at <= newest; at += 2) used += numbers[at + 1] as number;
  const available = quota - used;
  if (cost === available) return false;
  const allowed = cost < available;
  if (allowed) {
    const left = available - cost;
    if (newestMs < (isFineLimit ? nowMs : latestMs) || cost > left) return false;
    numbers[newest + 1] = (numbers[newest + 1] as number) + cost;
    decision.available = left;
    decision.retryAfterMs = 0;
  } else {
    let free = available;
    let at = oldest - 2;
    while (free < cost) {
      at += 2;
      free += numbers[at + 1] as number;
    }
    decision.available = available;
    decision.retryAfterMs = (numbers[at] as number) + windowMs - nowMs;
  }
  decision.allowed = allowed;
  decision.resetAfterMs = newestMs + windowMs - nowMs;
  decision.delayMs = 0;
  return true;
};

/** The definition of sliding windows. */
export const slidingWindowDefinition: AlgorithmDefinition<'sliding-window', SlidingState, SubWindowLimit> = {
  ...slidingDefinition,
  algorithm: 'sliding-window',
  tag: 'sw',
  kernel: { ...slidingKernel(subWindows), decideInPlace },
  guarantee: {
    // Its parts, however small, have sub-windows of the same length.
    partOf: (limit, quota) => (isFine(limit) ? { ...limit, quota } : { ...limit, quota, coarse: true }),
  },
  numbers: () => [
    ['windowMs', 1],
    ['buckets', 1],
  ],
  largestQuota: () => largestExact(),
};
