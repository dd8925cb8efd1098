import type { Limit } from '../values/limit.js';

/** The calendar interval that holds the present: from `startMs` up to, not including, `endMs`. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * How a state is kept as a list of numbers, so that a store may keep very many of them without an object for each. What
 * is read is the same state, to the last bit.
 */
export interface Layout<State extends object = object> {
  /** How many numbers this state is. */
  length(state: State): number;

  /** Makes `state` the one that is written from `from` on, in `length` numbers. */
  read(state: State, numbers: Float64Array, from: number, length: number): void;

  /** With `isReadThere`, the numbers are those that this state was read from, and only what has changed must be written. */
  write(state: State, numbers: Float64Array, from: number, isReadThere: boolean): void;
}

/** How a state that is more than numbers is kept as a list for JSON. What is decoded is the same state. */
export interface JsonForm<State extends object = object> {
  encode(state: State): readonly (number | string)[];

  /** Undefined for a list that `encode` does not give. */
  decode(values: readonly unknown[]): State | undefined;
}

/**
 * The arithmetic of one algorithm, on whole numbers, knowing neither store nor clock.
 *
 * `State` is what a store keeps for one key; `L` is a limit with what this algorithm's constructor puts into it.
 * `spend` and `refund` change the state that they are given, in place, and only a store that has decided calls them;
 * everything else reads. Where a state has to be corrected before it is read (its window turned, its limit changed, its
 * clock was wrong), `normalize` makes a corrected copy, so that a question which is not written leaves no trace.
 *
 * Only `+ - * /`, comparison, `min`, `max`, `floor` and `ceil`: the same doubles then come out of Redis's Lua.
 */
export interface Kernel<State extends object = object, L extends Limit = Limit> {
  /** Absent where states are more than numbers. */
  readonly layout?: Layout<State>;

  /** Present where `layout` is absent. */
  readonly json?: JsonForm<State>;

  /** The state of a key that was never seen. */
  fresh(limit: L, nowMs: number): State;

  /** Whether a time in the state is later than any honest clock could have written by `nowMs`. */
  isAhead(state: State, limit: L, nowMs: number, interval?: Interval): boolean;

  /** The state under this limit at this time: itself, or a corrected copy. What follows takes what this returned. */
  normalize(state: State, limit: L, nowMs: number, interval?: Interval): State;

  /** Units that fit now; negative in debt. */
  available(state: State, limit: L, nowMs: number): number;

  /** Time until so many units fit: 0 if they do, `'never'` if they cannot. */
  waitMs(state: State, limit: L, units: number, nowMs: number): number | 'never';

  /** How long a request admitted now waits for its turn. */
  delayMs?(state: State, limit: L, nowMs: number): number;

  /** Whether this id already holds what it asks for, so that asking again is no further claim. */
  holds?(state: State, id: string, nowMs: number): boolean;

  /**
   * Records units, whether they fit or not, as far down as one quota below nothing. Of what is more than that, a list of
   * times keeps the newest.
   */
  spend(state: State, limit: L, units: number, nowMs: number, id?: string): void;

  /**
   * Gives units back to where they were recorded at `atMs` (absent: the newest first).
   * Returns false, having changed nothing, when they no longer count.
   */
  refund(state: State, limit: L, units: number, nowMs: number, atMs?: number, id?: string): boolean;

  /** How long a state that never refills is remembered from now on. Absent: until it is as fresh. */
  retentionMs?(state: State, limit: L, nowMs: number): number | undefined;
}
