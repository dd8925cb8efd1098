import type { ClientState } from './state.js';

/** One request of the traffic. */
export interface Arrival {
  /** Milliseconds since the traffic began. */
  readonly atMs: number;
  /** The index of its client. */
  readonly client: number;
}

/** Who sends what when. */
export interface Traffic {
  readonly clients: readonly Sender[];
  /** In the order of time. */
  readonly arrivals: readonly Arrival[];
  readonly columnMs: number;
  /** How many requests were left out, because more would take too long. */
  readonly leftOut: number;
  /** How many lines of the log are not played: they are no requests, or no application has seen them. */
  readonly unread: number;
  /** What the log lacks; undefined if it could be read, or if there is none. */
  readonly problem: string | undefined;
  /** The Unix time at which the traffic begins. */
  readonly startMs: number;
}

/** A client of the traffic. */
export type Sender = Pick<ClientState, 'name' | 'cost' | 'runs' | 'priority'> & { readonly ip: string };

/** Returns whole milliseconds at even distances, of which the first is at `fromMs`. */
export function evenly(fromMs: number, lengthMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => fromMs + Math.floor((i * lengthMs) / count));
}
