// Why it is so: docs/why/windows.md

import type { SlidingState } from '../arithmetic/sliding-window.js';
import type { Layout } from '../kernel.js';

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
const headLength = (windowMs: number, packed: number): 1 | 3 => (windowMs === 0 || packed !== 0 ? 1 : 3);

/**
 * The windows, then the end and the units of each entry. States that were written before windows were kept begin with the
 * sub-window alone.
 */
export const slidingLayout: Layout<SlidingState> = {
  length: ({ ends, windowMs, subWindowMs }) =>
    headLength(windowMs, packedWindow(windowMs, subWindowMs)) + 2 * ends.length,

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
    const packed = packedWindow(windowMs, subWindowMs);
    const head = headLength(windowMs, packed);
    const first = isReadThere && head === state.head ? state.unchanged : 0;
    if (head === 3) {
      numbers[from] = subWindowMs;
      numbers[from + 1] = windowMs;
      numbers[from + 2] = APART;
    } else {
      numbers[from] = packed || subWindowMs;
    }
    for (let i = first, at = from + head + 2 * first; i < count; i += 1, at += 2) {
      numbers[at] = ends[i] as number;
      numbers[at + 1] = units[i] as number;
    }
    state.head = head;
    state.unchanged = count;
  },
};
