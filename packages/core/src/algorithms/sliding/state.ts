import type { Layout } from '../kernel.js';

/**
 * Units by the last millisecond of their sub-window, oldest first. `subWindowMs` is the length of the newest
 * sub-window. `used` is the sum of all units, including expired ones that the next write drops.
 *
 * Only the oldest entry can be empty. It then marks that units up to its end were dropped before they expired.
 */
export interface SlidingState {
  readonly ends: number[];
  readonly units: number[];
  used: number;
  subWindowMs: number;
  /** How many entries, from the oldest on, are unchanged since they were read. */
  unchanged: number;
}

/** The newest end; negative if there is none. */
export const newestEnd = ({ ends }: SlidingState): number => (ends.length > 0 ? (ends[ends.length - 1] as number) : -1);

/** The length of the sub-window, then the end and the units of each entry. */
export const slidingLayout: Layout<SlidingState> = {
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
    state.subWindowMs = numbers[from] as number;
    state.unchanged = count;
  },

  write(state, numbers, from, isReadThere) {
    const { ends, units } = state;
    const count = ends.length;
    const first = isReadThere ? state.unchanged : 0;
    numbers[from] = state.subWindowMs;
    for (let i = first, at = from + 1 + 2 * first; i < count; i += 1, at += 2) {
      numbers[at] = ends[i] as number;
      numbers[at + 1] = units[i] as number;
    }
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

/** Removes entries that no longer count. */
export function dropExpired(state: SlidingState, windowMs: number, nowMs: number): void {
  const live = firstLive(state, windowMs, nowMs);
  for (let i = 0; i < live; i += 1) state.used -= state.units[i] as number;
  if (live > 0) {
    state.ends.splice(0, live);
    state.units.splice(0, live);
    state.unchanged = 0;
  }
}

/**
 * Removes this many of the oldest units, at most all. The last emptied entry stays: it marks that units of its time
 * cannot be given back any more, and that none may be taken from a later entry instead.
 */
export function dropOldest(state: SlidingState, units: number): void {
  let rest = units;
  let emptied = 0;
  while (rest > 0) {
    const recorded = state.units[emptied] as number;
    const taken = Math.min(rest, recorded);
    state.units[emptied] = recorded - taken;
    rest -= taken;
    if (taken === recorded) emptied += 1;
  }
  state.used -= units;
  state.unchanged = 0;
  if (emptied > 1) {
    state.ends.splice(0, emptied - 1);
    state.units.splice(0, emptied - 1);
  }
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
    // If nothing counts, the mark of dropped units is not needed any more.
    if (state.used === 0) state.ends.length = state.units.length = 0;
  }
  return taken;
}
