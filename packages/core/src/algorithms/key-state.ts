/**
 * The record that a store keeps for one key of one limit: the state of the kernel, and what all algorithms have in
 * common.
 */
export interface KeyState {
  state: object;
  /** The end of the block that `blockDuration` set; past or 0 if there is none. */
  blockEndsMs: number;
  /**
   * The last admission, kept for `countRejected: true`. If none counts, it is negative: -1, or -2 minus the time at which
   * `blockDuration` began the last block.
   */
  admittedMs: number;
  /** How many blocks in a row `blockDuration` has set, if they grow; 0 if none, or if they are forgotten. */
  strikes: number;
  /** The end of the block that was set by hand; past or 0 if there is none. */
  heldUntilMs: number;
  /**
   * The place in the store that this record was last read from or written to; `NOWHERE` if it is none. If it matches, the
   * store need not read again.
   */
  stamp?: number;
}

/** The stamp of a record that has no place in the store. */
export const NOWHERE = 0;

/** Returns what was never written: the state, and nothing beside it. */
export function newKeyState(state: object): KeyState {
  return { state, blockEndsMs: 0, admittedMs: -1, strikes: 0, heldUntilMs: 0 };
}

/** Overwrites a record with what `newKeyState` returns for this state. */
export function renewKeyState(keyState: KeyState, state: object): void {
  keyState.state = state;
  keyState.blockEndsMs = 0;
  keyState.admittedMs = -1;
  keyState.strikes = 0;
  keyState.heldUntilMs = 0;
  keyState.stamp = NOWHERE;
}
