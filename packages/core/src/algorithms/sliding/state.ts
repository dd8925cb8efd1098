import type { Layout } from '../kernel.js';

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

/** The newest end; negative if there is none. */
export const newestEnd = ({ ends }: SlidingState): number => (ends.length > 0 ? (ends[ends.length - 1] as number) : -1);

/** How many parts the window and the number of sub-windows of a limit are packed with. A limit has at most 1,000 of these. */
const PACK = 1024;

/** Marks, in place of units, that the two numbers before are a sub-window and a window that no limit has together. */
const APART = -1;

/**
 * Returns a window and its sub-window as one number below 0, so that a state of one entry has three numbers. It is 0 if no
 * number of sub-windows divides the window like this.
 */
export function packedWindow(windowMs: number, subWindowMs: number): number {
  const parts = subWindowMs === 1 ? 0 : Math.ceil(windowMs / subWindowMs);
  const isExact = parts === 0 || (parts < PACK && Math.ceil(windowMs / parts) === subWindowMs);
  return isExact && windowMs > 0 ? -(windowMs * PACK + parts) : 0;
}

/** How many numbers come before the entries: the packed windows; or a sub-window, a window and a mark. */
const headLength = ({ windowMs, subWindowMs }: SlidingState): 1 | 3 =>
  windowMs === 0 || packedWindow(windowMs, subWindowMs) !== 0 ? 1 : 3;

/**
 * The windows, then the end and the units of each entry. States that were written before windows were kept begin with the
 * sub-window alone.
 */
export const slidingLayout: Layout<SlidingState> = {
  length: (state) => headLength(state) + 2 * state.ends.length,

  read(state, numbers, from, length) {
    const { ends, units } = state;
    const windows = numbers[from] as number;
    const isApart = windows > 0 && length > 2 && numbers[from + 2] === APART;
    const head = isApart ? 3 : 1;
    const count = (length - head) >> 1;
    let used = 0;
    for (let i = 0, at = from + head; i < count; i += 1, at += 2) {
      const recorded = numbers[at + 1] as number;
      ends[i] = numbers[at] as number;
      units[i] = recorded;
      used += recorded;
    }
    if (ends.length > count) ends.length = units.length = count;
    state.used = used;
    if (windows < 0) {
      const windowMs = Math.floor(-windows / PACK);
      const parts = -windows - windowMs * PACK;
      state.windowMs = windowMs;
      state.subWindowMs = parts === 0 ? 1 : Math.ceil(windowMs / parts);
    } else {
      state.windowMs = isApart ? (numbers[from + 1] as number) : 0;
      state.subWindowMs = windows;
    }
    state.head = head;
    state.unchanged = count;
  },

  write(state, numbers, from, isReadThere) {
    const { ends, units, windowMs, subWindowMs } = state;
    const count = ends.length;
    const head = headLength(state);
    const first = isReadThere && head === state.head ? state.unchanged : 0;
    if (head === 3) {
      numbers[from] = subWindowMs;
      numbers[from + 1] = windowMs;
      numbers[from + 2] = APART;
    } else {
      numbers[from] = packedWindow(windowMs, subWindowMs) || subWindowMs;
    }
    for (let i = first, at = from + head + 2 * first; i < count; i += 1, at += 2) {
      numbers[at] = ends[i] as number;
      numbers[at + 1] = units[i] as number;
    }
    state.head = head;
    state.unchanged = count;
  },
};

/** The index of the first entry that still counts. */
export function firstLive(state: SlidingState, windowMs: number, nowMs: number): number {
  let i = 0;
  while (i < state.ends.length && nowMs >= (state.ends[i] as number) + windowMs) i += 1;
  return i;
}

/** Units that count now. */
export function usedNow(state: SlidingState, windowMs: number, nowMs: number): number {
  const live = firstLive(state, windowMs, nowMs);
  let used = state.used;
  for (let i = 0; i < live; i += 1) used -= state.units[i] as number;
  return used;
}

/** Drops what counts no more, and notes the longest window by which the rest was recorded. */
export function keepWindow(state: SlidingState, windowMs: number, nowMs: number): void {
  dropExpired(state, Math.max(windowMs, state.windowMs), nowMs);
  state.windowMs = state.ends.length === 0 ? windowMs : Math.max(windowMs, state.windowMs);
}

/** Removes entries that no longer count. */
function dropExpired(state: SlidingState, windowMs: number, nowMs: number): void {
  const live = firstLive(state, windowMs, nowMs);
  for (let i = 0; i < live; i += 1) state.used -= state.units[i] as number;
  if (live > 0) {
    state.ends.splice(0, live);
    state.units.splice(0, live);
    state.unchanged = 0;
  }
}

/**
 * Drops the oldest units, so that at most `most` count after `units` more. The newest are kept: a request that is refused now has to
 * count for a whole window from now on. What a larger limit has recorded is not cut to a smaller one.
 *
 * @param live - the index of the first entry that counts
 * @param used - the units that count
 */
export function makeRoom(state: SlidingState, live: number, used: number, most: number, units: number): void {
  const tooMany = used - (Math.max(most, used) - units);
  if (tooMany > 0) dropOldest(state, live, tooMany);
  const inexact = state.used - (Number.MAX_SAFE_INTEGER - units);
  if (inexact > 0) dropOldest(state, 0, inexact);
}

/**
 * Removes this many of the units from the entry at `from` on, the oldest first, at most all. The last emptied entry stays:
 * it marks that units of its time cannot be given back any more, and that none may be taken from a later entry instead.
 */
function dropOldest(state: SlidingState, from: number, units: number): void {
  let rest = units;
  let at = from;
  while (rest > 0) {
    const recorded = state.units[at] as number;
    const taken = Math.min(rest, recorded);
    state.units[at] = recorded - taken;
    rest -= taken;
    if (taken === recorded) at += 1;
  }
  state.used -= units;
  state.unchanged = 0;
  if (at - from > 1) {
    state.ends.splice(from, at - from - 1);
    state.units.splice(from, at - from - 1);
  }
}

/** The parts of a longer window in which units are kept that count only by it. */
const HISTORY_PARTS = 20;

/**
 * Joins the entries before `live`, which count only by the longer window, so that there is about one for each part of it.
 * Joined units have the end of the newest ones, and so count too long rather than too short. Returns the new place of the
 * first entry that counts by the limit.
 */
export function joinPast(state: SlidingState, live: number): number {
  const { ends, units } = state;
  const partMs = Math.ceil(state.windowMs / HISTORY_PARTS);
  let kept = 0;
  for (let i = 0; i < live; i += 1) {
    const end = ends[i] as number;
    const recorded = units[i] as number;
    if (recorded === 0) continue;
    const isSamePart = kept > 0 && Math.floor((ends[kept - 1] as number) / partMs) === Math.floor(end / partMs);
    if (isSamePart) units[kept - 1] = (units[kept - 1] as number) + recorded;
    else kept += 1;
    ends[kept - 1] = end;
    if (!isSamePart) units[kept - 1] = recorded;
  }
  if (kept < live) {
    ends.splice(kept, live - kept);
    units.splice(kept, live - kept);
    state.unchanged = 0;
  }
  return kept;
}

/** Takes units out of an entry, and removes the entry when it is empty. Returns how many units were taken. */
export function takeBack(state: SlidingState, i: number, units: number): number {
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
export function takeNewest(state: SlidingState, live: number, units: number): number {
  let rest = units;
  while (rest > 0 && state.ends.length > live) rest -= takeBack(state, state.ends.length - 1, rest);
  return units - rest;
}
