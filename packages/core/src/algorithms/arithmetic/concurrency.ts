import type { Limit } from '../../values/limit.js';
import type { GivenBack } from '../kernel.js';

/** The end of each slot's lease beside the id of its holder, in the order in which they were taken. */
export interface ConcurrencyState {
  readonly ids: string[];
  readonly ends: number[];
}

/** A limit made by `concurrency`. */
export type ConcurrencyLimit = Limit & { readonly leaseMs: number };

export function fresh(): ConcurrencyState {
  return { ids: [], ends: [] };
}

export function isAhead(state: ConcurrencyState, limit: ConcurrencyLimit, nowMs: number): boolean {
  const { ends } = state;
  const count = ends.length;
  for (let i = 0; i < count; i += 1) {
    if ((ends[i] as number) > nowMs + limit.leaseMs) return true;
  }
  return false;
}

export function normalize(state: ConcurrencyState, limit: ConcurrencyLimit, nowMs: number): ConcurrencyState {
  if (!isAhead(state, limit, nowMs)) return state;
  const now: ConcurrencyState = { ids: [], ends: [] };
  const count = state.ends.length;
  for (let i = 0; i < count; i += 1) {
    now.ids.push(state.ids[i] as string);
    now.ends.push(Math.min(state.ends[i] as number, nowMs + limit.leaseMs));
  }
  return now;
}

function liveEnds(state: ConcurrencyState, nowMs: number): number[] {
  const live: number[] = [];
  const count = state.ends.length;
  for (let i = 0; i < count; i += 1) {
    const endMs = state.ends[i] as number;
    if (endMs > nowMs) live.push(endMs);
  }
  return live;
}

export function available(state: ConcurrencyState, limit: ConcurrencyLimit, nowMs: number): number {
  let free = limit.quota;
  const count = state.ends.length;
  for (let i = 0; i < count; i += 1) {
    if ((state.ends[i] as number) > nowMs) free -= 1;
  }
  return free;
}

export function waitMs(
  state: ConcurrencyState,
  limit: ConcurrencyLimit,
  units: number,
  nowMs: number,
): number | 'never' {
  if (units > limit.quota) return 'never';
  const ends = liveEnds(state, nowMs);
  const toEnd = ends.length + units - limit.quota;
  if (toEnd <= 0) return 0;
  ends.sort((a, b) => a - b);
  return (ends[toEnd - 1] as number) - nowMs;
}

export function holds(state: ConcurrencyState, id: string, nowMs: number): boolean {
  const count = state.ids.length;
  for (let i = 0; i < count; i += 1) {
    if (state.ids[i] === id) return (state.ends[i] as number) > nowMs;
  }
  return false;
}

/** Frees the slot of an id, and those whose leases have ended by a time. */
function free(state: ConcurrencyState, id: string | undefined, endedMs: number): void {
  const { ids, ends } = state;
  const count = ids.length;
  let kept = 0;
  for (let i = 0; i < count; i += 1) {
    const endMs = ends[i] as number;
    if (ids[i] !== id && endMs > endedMs) {
      ids[kept] = ids[i] as string;
      ends[kept] = endMs;
      kept += 1;
    }
  }
  ids.splice(kept, count - kept);
  ends.splice(kept, count - kept);
}

export function spend(
  state: ConcurrencyState,
  limit: ConcurrencyLimit,
  _units: number,
  nowMs: number,
  id: string | undefined,
): void {
  free(state, id, nowMs);
  if (id !== undefined) {
    state.ids.push(id);
    state.ends.push(nowMs + limit.leaseMs);
  }
}

export function refund(state: ConcurrencyState, _limit: ConcurrencyLimit, back: GivenBack, nowMs: number): boolean {
  const { id } = back;
  if (id === undefined || !holds(state, id, nowMs)) return false;
  free(state, id, 0);
  return true;
}
