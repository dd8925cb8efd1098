// Why it is so: docs/why/windows.md

import type { Limit } from '../../values/limit.js';
import type { GivenBack } from '../kernel.js';

/**
 * Units by the last millisecond of their sub-window, oldest first. `subWindowMs` is the length of the newest
 * sub-window. `used` is the sum of all units, including expired ones that the next write drops.
 *
 * `windowMs` is the longest window by which units were recorded. Entries are kept until they no longer count by it, so
 * that a window that was shortened can be made longer again. It is forgotten when nothing counts by it.
 *
 * An entry can be empty. It then marks that units up to its end were dropped before they expired. The newest one never is.
 */
export interface SlidingState {
  readonly ends: number[];
  readonly units: number[];
  used: number;
  subWindowMs: number;
  windowMs: number;
  /** How many entries, from the oldest on, are unchanged since they were read after so many numbers. */
  unchanged: number;
  head: number;
}

/** A limit by a sliding window. The sub-windows of a log are milliseconds; any other has `buckets`. */
export type SlidingLimit = Limit & { readonly windowMs: number };

/** The largest whole number that is exact. */
const MOST_UNITS = 2 ** 53 - 1;

// A limit may come from elsewhere, with more fields than its algorithm has: `buckets` of a log mean nothing.

/** Whether this limit is counted by the millisecond. */
export function isFine(limit: SlidingLimit): boolean {
  if (limit.algorithm === 'sliding-window-log') return true;
  return limit.quota <= (limit.buckets as number) && limit.coarse !== true;
}

/** The longest sub-window of any limit that differs from this one only in its quota. */
export function coarsestMs(limit: SlidingLimit): number {
  return limit.algorithm === 'sliding-window-log' ? 1 : Math.ceil(limit.windowMs / (limit.buckets as number));
}

/** The length of a limit's sub-windows. */
function subWindowMs(limit: SlidingLimit): number {
  return isFine(limit) ? 1 : coarsestMs(limit);
}

/**
 * The most entries that are kept, including an empty one. No more sub-windows than this can count at once. If counted by the
 * millisecond, every unit can have an entry of its own.
 */
function mostEntries(limit: SlidingLimit): number {
  const { quota } = limit;
  if (limit.algorithm === 'sliding-window-log') return 2 * quota + 1;
  const buckets = limit.buckets as number;
  return isFine(limit) ? Math.max(buckets, 2 * quota) + 1 : buckets + 1;
}

/** The last millisecond of the sub-window that holds a time. */
export function endOfSubWindow(timeMs: number, lengthMs: number): number {
  return (Math.floor(timeMs / lengthMs) + 1) * lengthMs - 1;
}

/** Milliseconds until an entry no longer counts. */
export function countsForMs(endMs: number, windowMs: number, nowMs: number): number {
  return endMs + windowMs - nowMs;
}

/**
 * Whether all entries count, and units of this time are added to the newest one. Then the number of all units says what is
 * available, and only the newest entry changes.
 */
export function addsToNewest(
  oldestMs: number,
  newestMs: number,
  windowMs: number,
  lengthMs: number,
  nowMs: number,
): boolean {
  return newestMs === endOfSubWindow(nowMs, lengthMs) && nowMs < oldestMs + windowMs;
}

/** The newest end; negative if there is none. */
function newestEnd(state: SlidingState): number {
  const { ends } = state;
  return ends.length > 0 ? (ends[ends.length - 1] as number) : -1;
}

/** The index of the first entry that still counts. */
export function firstLive(state: SlidingState, windowMs: number, nowMs: number): number {
  const { ends } = state;
  let i = 0;
  while (i < ends.length && nowMs >= (ends[i] as number) + windowMs) i += 1;
  return i;
}

/** Units that count now. */
function usedNow(state: SlidingState, windowMs: number, nowMs: number): number {
  const live = firstLive(state, windowMs, nowMs);
  let used = state.used;
  for (let i = 0; i < live; i += 1) used -= state.units[i] as number;
  return used;
}

/** Removes entries, and forgets that others are unchanged. */
function removeEntries(state: SlidingState, from: number, count: number): void {
  state.ends.splice(from, count);
  state.units.splice(from, count);
  state.unchanged = 0;
}

/** Drops what counts no more, and notes the longest window by which the rest was recorded. */
function keepWindow(state: SlidingState, windowMs: number, nowMs: number): void {
  const longestMs = Math.max(windowMs, state.windowMs);
  const live = firstLive(state, longestMs, nowMs);
  for (let i = 0; i < live; i += 1) state.used -= state.units[i] as number;
  if (live > 0) removeEntries(state, 0, live);
  state.windowMs = state.ends.length === 0 ? windowMs : longestMs;
}

/**
 * Drops the oldest units, so that at most `most` count after `units` more. The newest are kept: a request that is refused now has to
 * count for a whole window from now on. Records of a larger limit are not cut to a smaller one.
 *
 * @param live - the index of the first entry that counts
 * @param used - the units that count
 */
function makeRoom(state: SlidingState, live: number, used: number, most: number, units: number): void {
  const tooMany = used - (Math.max(most, used) - units);
  if (tooMany > 0) dropOldest(state, live, tooMany);
  const inexact = state.used - (MOST_UNITS - units);
  if (inexact > 0) dropOldest(state, 0, inexact);
}

/**
 * Removes this many of the units from the entry at `from` on, the oldest first, at most all. The last emptied entry stays:
 * it marks that units of its time cannot be given back any more, and that none may be taken from a later entry instead.
 */
function dropOldest(state: SlidingState, from: number, units: number): void {
  let rest = units;
  let i = from;
  while (rest > 0) {
    const recorded = state.units[i] as number;
    const taken = Math.min(rest, recorded);
    state.units[i] = recorded - taken;
    rest -= taken;
    if (taken === recorded) i += 1;
  }
  state.used -= units;
  state.unchanged = 0;
  if (i - from > 1) removeEntries(state, from, i - from - 1);
}

/** The parts of a longer window in which units are kept that count only by it. */
const HISTORY_PARTS = 20;

/**
 * Joins the entries before `live`, which count only by the longer window, so that there is about one for each part of it.
 * Joined units have the end of the newest ones, and so count too long rather than too short. Returns the new place of the
 * first entry that counts by the limit.
 */
function joinPast(state: SlidingState, live: number): number {
  const { ends, units } = state;
  const partMs = Math.ceil(state.windowMs / HISTORY_PARTS);
  let kept = 0;
  for (let i = 0; i < live; i += 1) {
    const endMs = ends[i] as number;
    const recorded = units[i] as number;
    const isSamePart = kept > 0 && Math.floor((ends[kept - 1] as number) / partMs) === Math.floor(endMs / partMs);
    if (recorded > 0 && isSamePart) {
      units[kept - 1] = (units[kept - 1] as number) + recorded;
      ends[kept - 1] = endMs;
    } else if (recorded > 0) {
      units[kept] = recorded;
      ends[kept] = endMs;
      kept += 1;
    }
  }
  if (kept < live) removeEntries(state, kept, live - kept);
  return kept;
}

/** Takes units out of an entry, and removes the entry when it is empty. Returns how many units were taken. */
function takeBack(state: SlidingState, i: number, units: number): number {
  const taken = Math.min(units, state.units[i] as number);
  state.units[i] = (state.units[i] as number) - taken;
  state.used -= taken;
  state.unchanged = Math.min(state.unchanged, i);
  if (state.units[i] === 0) {
    state.ends.splice(i, 1);
    state.units.splice(i, 1);
    // If no later units count, the mark of dropped units is not needed any more.
    while (state.units.length > 0 && state.units[state.units.length - 1] === 0) {
      state.ends.pop();
      state.units.pop();
    }
  }
  return taken;
}

/** Takes units out of the newest entries, down to the one at `live`. Returns how many were taken. */
function takeNewest(state: SlidingState, live: number, units: number): number {
  let rest = units;
  while (rest > 0 && state.ends.length > live) rest -= takeBack(state, state.ends.length - 1, rest);
  return units - rest;
}

/**
 * Returns a copy with every end moved `byMs` earlier, rounded up to a longer sub-window, and at most `latestMs`.
 * Entries with the same end are merged.
 */
function resampled(state: SlidingState, byMs: number, lengthMs: number, latestMs: number): SlidingState {
  // If sub-windows became shorter, the ends stay: the exact times of the units are not known.
  const roundMs = lengthMs > state.subWindowMs ? lengthMs : 1;
  const ends: number[] = [];
  const units: number[] = [];
  const count = state.ends.length;
  for (let i = 0; i < count; i += 1) {
    const endMs = Math.min(endOfSubWindow((state.ends[i] as number) - byMs, roundMs), latestMs);
    const recorded = state.units[i] as number;
    if (ends.length > 0 && ends[ends.length - 1] === endMs) {
      units[units.length - 1] = (units[units.length - 1] as number) + recorded;
    } else {
      ends.push(endMs);
      units.push(recorded);
    }
  }
  const { used, windowMs, head } = state;
  return { ends, units, used, subWindowMs: Math.max(lengthMs, state.subWindowMs), windowMs, unchanged: 0, head };
}

/** Adds units to the sub-window of now. It is a new entry if there is room for one. */
function add(state: SlidingState, units: number, nowMs: number, lengthMs: number, hasRoom: boolean): void {
  const endMs = endOfSubWindow(nowMs, lengthMs);
  const lastMs = newestEnd(state);
  if (lastMs < endMs && hasRoom) {
    state.ends.push(endMs);
    state.units.push(units);
  } else {
    // The list is full, or a longer sub-window already covers this time. Counting longer is the strict choice.
    const newest = state.ends.length - 1;
    state.ends[newest] = Math.max(lastMs, endMs);
    state.units[newest] = (state.units[newest] as number) + units;
    state.unchanged = Math.min(state.unchanged, newest);
  }
  state.used += units;
  if (lastMs <= endMs) state.subWindowMs = lengthMs;
}

export function fresh(limit: SlidingLimit): SlidingState {
  // V8 copies an object that is written with lists inside it by a slow way.
  const ends: number[] = [];
  const units: number[] = [];
  const { windowMs } = limit;
  return { ends, units, used: 0, subWindowMs: subWindowMs(limit), windowMs, unchanged: 0, head: 0 };
}

/** The latest end that a correct clock can have written by now. */
function latestEnd(limit: SlidingLimit, nowMs: number): number {
  return endOfSubWindow(nowMs, coarsestMs(limit));
}

export function isAhead(state: SlidingState, limit: SlidingLimit, nowMs: number): boolean {
  return newestEnd(state) > latestEnd(limit, nowMs);
}

export function normalize(state: SlidingState, limit: SlidingLimit, nowMs: number): SlidingState {
  const lengthMs = subWindowMs(limit);
  if (lengthMs <= state.subWindowMs && !isAhead(state, limit, nowMs)) return state;
  const latestMs = latestEnd(limit, nowMs);
  // If an end is late only because an earlier limit had longer sub-windows, the other times are right.
  const byMs = Math.max(0, newestEnd(state) - Math.max(latestMs, endOfSubWindow(nowMs, state.subWindowMs)));
  return resampled(state, byMs, lengthMs, latestMs);
}

export function available(state: SlidingState, limit: SlidingLimit, nowMs: number): number {
  return limit.quota - usedNow(state, limit.windowMs, nowMs);
}

export function waitMs(state: SlidingState, limit: SlidingLimit, units: number, nowMs: number): number | 'never' {
  const { quota, windowMs } = limit;
  if (units > quota) return 'never';
  let used = usedNow(state, windowMs, nowMs);
  // To free the whole limit, even the newest entry has to expire. An entry that counts holds at least one unit.
  if (units === quota) return used > 0 ? countsForMs(newestEnd(state), windowMs, nowMs) : 0;
  let untilMs = 0;
  let i = firstLive(state, windowMs, nowMs);
  while (used + units > quota) {
    used -= state.units[i] as number;
    untilMs = countsForMs(state.ends[i] as number, windowMs, nowMs);
    i += 1;
  }
  return untilMs;
}

export function spend(state: SlidingState, limit: SlidingLimit, units: number, nowMs: number): void {
  const { quota, windowMs } = limit;
  keepWindow(state, windowMs, nowMs);
  const recorded = Math.min(units, 2 * quota);
  if (recorded === 0) return;
  const live = state.windowMs > windowMs ? joinPast(state, firstLive(state, windowMs, nowMs)) : 0;
  const used = live === 0 ? state.used : usedNow(state, windowMs, nowMs);
  makeRoom(state, live, used, 2 * quota, recorded);
  const hasRoom = state.ends.length - live < mostEntries(limit);
  add(state, recorded, nowMs, subWindowMs(limit), hasRoom);
}

export function retentionMs(state: SlidingState, limit: SlidingLimit, nowMs: number): number {
  if (state.used === 0) return 0;
  return Math.max(0, newestEnd(state) + Math.max(limit.windowMs, state.windowMs) - nowMs);
}

/**
 * Returns the index of the entry that has the units which were charged at a time; -1 if it has none any more. Sub-windows
 * that have become longer end later, so it is the first entry that ends at or after this time. If that is a later sub-window, a
 * refund has taken the units.
 */
function chargedEntry(state: SlidingState, live: number, atMs: number, lengthMs: number): number {
  const { ends } = state;
  const endMs = endOfSubWindow(atMs, lengthMs);
  let i = live;
  while (i < ends.length && (ends[i] as number) < endMs) i += 1;
  if (i === ends.length || state.units[i] === 0) return -1;
  return (ends[i] as number) < atMs + Math.max(lengthMs, state.subWindowMs) ? i : -1;
}

export function refund(state: SlidingState, limit: SlidingLimit, back: GivenBack, nowMs: number): boolean {
  const { units, atMs } = back;
  const { windowMs } = limit;
  const live = firstLive(state, windowMs, nowMs);
  if (atMs === undefined) return takeNewest(state, live, units) > 0;
  const lengthMs = subWindowMs(limit);
  if (nowMs >= endOfSubWindow(atMs, lengthMs) + windowMs) return false;
  const i = chargedEntry(state, live, atMs, lengthMs);
  return i >= 0 && takeBack(state, i, units) > 0;
}
