// Why it is so: docs/why/one-arithmetic.md

import type { GivenBack, Interval } from '../kernel.js';
import type { WindowLimit } from '../window.js';

/** Units of the window from `startMs` up to, not including, `endMs`. */
export interface FixedWindowState {
  startMs: number;
  endMs: number;
  count: number;
}

/** The latest possible start of a window that holds the present. With `'first-request'` a window can begin now. */
export function latestStartMs(limit: WindowLimit, nowMs: number, interval: Interval | undefined): number {
  if (interval !== undefined) return interval.startMs;
  return limit.align === 'clock' ? Math.floor(nowMs / limit.windowMs) * limit.windowMs : nowMs;
}

export function fresh(limit: WindowLimit, nowMs: number): FixedWindowState {
  const startMs = latestStartMs(limit, nowMs, undefined);
  return { startMs, endMs: startMs + limit.windowMs, count: 0 };
}

export function isAhead(
  state: FixedWindowState,
  limit: WindowLimit,
  nowMs: number,
  interval: Interval | undefined,
): boolean {
  return state.startMs > latestStartMs(limit, nowMs, interval);
}

export function normalize(
  state: FixedWindowState,
  limit: WindowLimit,
  nowMs: number,
  interval: Interval | undefined,
): FixedWindowState {
  const { startMs, count } = state;
  const latestMs = latestStartMs(limit, nowMs, interval);
  const latestEndMs = interval === undefined ? latestMs + limit.windowMs : interval.endMs;
  if (startMs > latestMs) return { startMs: latestMs, endMs: latestEndMs, count };
  const isFromFirst = limit.align === 'first-request';
  const endMs = isFromFirst ? startMs + limit.windowMs : latestEndMs;
  const isOver = isFromFirst ? nowMs >= endMs || count === 0 : startMs < latestMs;
  if (isOver) return { startMs: latestMs, endMs: latestEndMs, count: 0 };
  return endMs === state.endMs ? state : { startMs, endMs, count };
}

export function available(state: FixedWindowState, limit: WindowLimit): number {
  return limit.quota - state.count;
}

export function waitMs(state: FixedWindowState, limit: WindowLimit, units: number, nowMs: number): number | 'never' {
  if (units > limit.quota) return 'never';
  return state.count + units <= limit.quota ? 0 : state.endMs - nowMs;
}

export function spend(state: FixedWindowState, limit: WindowLimit, units: number): void {
  state.count = Math.max(state.count, Math.min(state.count + units, 2 * limit.quota));
}

export function refund(state: FixedWindowState, _limit: WindowLimit, back: GivenBack): boolean {
  const { units, atMs } = back;
  if (state.count === 0 || (atMs !== undefined && atMs < state.startMs)) return false;
  state.count = Math.max(0, state.count - units);
  return true;
}
