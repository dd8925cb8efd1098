// Why it is so: docs/why/windows.md

import type { GivenBack } from '../kernel.js';
import type { WindowLimit } from '../window.js';

/** Units of the clock-aligned window that began at `startMs`, and of the window before it. */
export interface CounterState {
  startMs: number;
  previous: number;
  current: number;
}

function startOf(timeMs: number, windowMs: number): number {
  return Math.floor(timeMs / windowMs) * windowMs;
}

/**
 * Whether a fraction of a unit counts as a whole unit. Otherwise it counts as 0. Rounding down would admit a key that
 * used up its limit at the end of a window and keeps asking.
 */
function isRoundedUp(limit: WindowLimit): boolean {
  return limit.countRejected === 'always';
}

/** The weight of the previous window. Its count is capped at twice the limit, so that products stay exact. */
export function overlap(previous: number, elapsedMs: number, limit: WindowLimit): number {
  const { windowMs, quota } = limit;
  const weight = (Math.min(previous, 2 * quota) * (windowMs - elapsedMs)) / windowMs;
  return isRoundedUp(limit) ? Math.ceil(weight) : Math.floor(weight);
}

/**
 * The first moment of a window, in milliseconds after its start, at which `units` more fit beside `current`, given the
 * count of the previous window. Undefined if they do not fit within this window.
 */
function fitsAfterMs(previous: number, current: number, units: number, limit: WindowLimit): number | undefined {
  const { windowMs } = limit;
  const unused = limit.quota - current - units;
  if (unused < 0) return undefined;
  if (previous <= unused) return 0;
  if (isRoundedUp(limit)) return Math.ceil((windowMs * previous - unused * windowMs) / previous);
  return Math.floor((windowMs * previous - (unused + 1) * windowMs) / previous) + 1;
}

/** Milliseconds until this many units fit, if they are within the quota and do not fit now. */
function fitsInMs(previous: number, current: number, elapsedMs: number, units: number, limit: WindowLimit): number {
  const most = 2 * limit.quota;
  const inThis = fitsAfterMs(Math.min(previous, most), current, units, limit);
  if (inThis !== undefined) return inThis - elapsedMs;
  // In the next window, the current window is the previous one. At the end of that window its weight is 0.
  const inNext = fitsAfterMs(Math.min(current, most), 0, units, limit) as number;
  return limit.windowMs - elapsedMs + inNext;
}

export function fresh(limit: WindowLimit, nowMs: number): CounterState {
  return { startMs: startOf(nowMs, limit.windowMs), previous: 0, current: 0 };
}

export function isAhead(state: CounterState, limit: WindowLimit, nowMs: number): boolean {
  return state.startMs > startOf(nowMs, limit.windowMs);
}

/** An old start that is not aligned to the length of the window is aligned first. */
export function normalize(state: CounterState, limit: WindowLimit, nowMs: number): CounterState {
  const { windowMs } = limit;
  const startMs = startOf(nowMs, windowMs);
  if (state.startMs === startMs) return state;
  if (state.startMs > startMs) return { startMs, previous: state.previous, current: state.current };
  const isNext = startOf(state.startMs, windowMs) + windowMs === startMs;
  const previous = isNext ? state.current : 0;
  return { startMs, previous, current: 0 };
}

export function available(state: CounterState, limit: WindowLimit, nowMs: number): number {
  return limit.quota - state.current - overlap(state.previous, nowMs - state.startMs, limit);
}

export function waitMs(state: CounterState, limit: WindowLimit, units: number, nowMs: number): number | 'never' {
  if (units > limit.quota) return 'never';
  if (units <= available(state, limit, nowMs)) return 0;
  return fitsInMs(state.previous, state.current, nowMs - state.startMs, units, limit);
}

export function spend(state: CounterState, limit: WindowLimit, units: number): void {
  state.current = Math.max(state.current, Math.min(state.current + units, 2 * limit.quota));
}

export function refund(state: CounterState, limit: WindowLimit, back: GivenBack, nowMs: number): boolean {
  const { units, atMs } = back;
  let rest = units;
  if (atMs === undefined || atMs >= state.startMs) {
    const taken = Math.min(rest, state.current);
    state.current -= taken;
    rest -= taken;
  }
  const isPrevious = atMs === undefined || (atMs < state.startMs && atMs >= state.startMs - limit.windowMs);
  // Units without weight cannot be given back: a store may have removed them already.
  if (isPrevious && overlap(state.previous, nowMs - state.startMs, limit) > 0) {
    const taken = Math.min(rest, state.previous);
    state.previous -= taken;
    rest -= taken;
  }
  return rest < units;
}
