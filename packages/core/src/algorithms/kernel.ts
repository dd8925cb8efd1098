// Why it is so: docs/why/one-arithmetic.md

import type { Limit } from '../values/limit.js';

/** The calendar interval that holds the present: from `startMs` up to, not including, `endMs`. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Writes a state as a list of numbers, so that a store can keep many states without an object for each. Reading the
 * list gives the same state, to the last bit.
 */
export interface Layout<State extends object = object> {
  /** How many numbers this state takes. */
  length(state: State): number;

  /** Reads `length` numbers, beginning at `from`, into `state`. */
  read(state: State, numbers: Float64Array, from: number, length: number): void;

  /**
   * Writes the state, beginning at `from`. With `isReadThere`, the numbers are those that this state was read from:
   * only the changed ones have to be written.
   */
  write(state: State, numbers: Float64Array, from: number, isReadThere: boolean): void;
}

/** Writes a state that holds more than numbers as a list for JSON. Decoding the list gives the same state. */
interface JsonForm<State extends object = object> {
  encode(state: State): readonly (number | string)[];

  /** Undefined if `encode` never returns such a list. */
  decode(values: readonly unknown[]): State | undefined;
}

const NO_NUMBERS = new Float64Array(0);

/**
 * The question to `Kernel.decideInPlace`, and its decision. One object serves many decisions. Its times begin as NaN, so that
 * V8 keeps them inside the object, and not in heap objects of their own.
 */
export class InPlaceDecision {
  /** The state, as `layout` has written it: `length` numbers from `from` on. */
  numbers: Float64Array = NO_NUMBERS;
  from = 0;
  length = 0;
  /** How many units are asked for: at least 1. */
  cost = 1;
  nowMs = Number.NaN;

  /** What a sliding window needs of its limit. `Kernel.enterInPlace` writes it once for all decisions by the limit. */
  packedWindow = Number.NaN;
  coarsestMs = Number.NaN;
  isFine = false;

  allowed = false;
  /** Units that are available after the decision; negative if the key is in debt. */
  available = Number.NaN;
  /** Milliseconds until the key is back to its full quota. */
  resetAfterMs = Number.NaN;
  /** Milliseconds until the same request would be allowed: 0 if it would be now. */
  retryAfterMs = Number.NaN;
  /** Milliseconds that an admitted request waits for its turn. */
  delayMs = Number.NaN;
}

/** Units of an earlier charge that come back. */
export interface GivenBack {
  readonly units: number;
  /** When they were charged. Absent: the newest units come back. */
  readonly atMs?: number | undefined;
  /** The id that names a slot. */
  readonly id?: string | undefined;
  /**
   * Present if nobody used these units, and nobody can use them any more, so that whoever gets them may use them in their
   * place. Then they must not make a limit admit more than its bound, however many charges come back, and in whatever
   * order. Needs `atMs`.
   */
  readonly unspent?: true | undefined;
}

/**
 * The arithmetic of one algorithm, on whole numbers. It knows neither a store nor a clock.
 *
 * `State` is what a store keeps for one key. `L` is a limit with the fields that the constructor of this algorithm
 * sets.
 *
 * `spend` and `refund` change the given state in place. A store calls them only after it has decided. All other methods
 * only read. If a state has to be corrected before it is read (its window ended, its limit changed, its clock was
 * wrong), `normalize` returns a corrected copy. A decision that is not written therefore leaves no trace.
 *
 * Its functions are in `arithmetic`, from which the Lua of Redis is generated.
 */
export interface Kernel<State extends object = object, L extends Limit = Limit> {
  /** Absent if states hold more than numbers. */
  readonly layout?: Layout<State>;

  /** Present if `layout` is absent. */
  readonly json?: JsonForm<State>;

  /** The state of a key that was never seen. Without a calendar, `normalize` has nothing to correct in it. */
  fresh(limit: L, nowMs: number): State;

  /** Whether a time in the state is later than any correct clock could have written by `nowMs`. */
  isAhead(state: State, limit: L, nowMs: number, interval?: Interval): boolean;

  /**
   * Returns the state under this limit at this time: the same object, or a corrected copy. The methods below take this
   * result.
   */
  normalize(state: State, limit: L, nowMs: number, interval?: Interval): State;

  /** Units that are available now; negative if the key is in debt. */
  available(state: State, limit: L, nowMs: number): number;

  /** Milliseconds until this many units are available: 0 if they are now, `'never'` if they cannot be. */
  waitMs(state: State, limit: L, units: number, nowMs: number): number | 'never';

  /** Milliseconds that a request admitted now waits for its turn. */
  delayMs?(state: State, limit: L, nowMs: number): number;

  /** Whether this id already holds a slot. A repeated request with this id then needs no second one. */
  holds?(state: State, id: string, nowMs: number): boolean;

  /**
   * Records units, whether they are available or not, down to a debt of one quota. If there are more, a list of times
   * keeps the newest.
   */
  spend(state: State, limit: L, units: number, nowMs: number, id?: string): void;

  /** Gives back units, by the rule of `RETURNS`. Returns false, and changes nothing, if they no longer count. */
  refund(state: State, limit: L, back: GivenBack, nowMs: number): boolean;

  /**
   * Milliseconds that a state matters from now on; 0 if it does not. Absent or undefined: until the key is back to its full
   * quota.
   */
  retentionMs?(state: State, limit: L, nowMs: number): number | undefined;

  /**
   * Makes the same decision as the methods above, on the numbers of the stored state, without an object for that state. It
   * spends the units if it allows them. Sliding and fixed windows have it: without it, their decisions about a hot key take 30 %
   * and 10 % longer (`npm run bench -- in-process`), and those of the other algorithms as long or less.
   *
   * Returns false, and changes no number, outside the common case: the state has to be corrected first, its list gets
   * another length, the decision leaves no unit, or a wait is `'never'`.
   */
  decideInPlace?(limit: L, decision: InPlaceDecision): boolean;

  /** Computes what `decideInPlace` needs of a limit. It is called before the first of consecutive decisions by the limit. */
  enterInPlace?(limit: L, decision: InPlaceDecision): void;
}
