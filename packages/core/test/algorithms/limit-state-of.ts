import type { Limit } from '@sluice/core';
import { definitionOf } from '../../src/algorithms/definitions.js';
import type { Interval } from '../../src/algorithms/kernel.js';
import type { KeyState } from '../../src/algorithms/key-state.js';
import { LimitState } from '../../src/algorithms/limit-state.js';

/** The state of a key under a limit. Without a `keyState`, it is a key that was never seen. */
export function limitStateOf(
  limit: Limit,
  keyState: KeyState | undefined,
  nowMs: number,
  interval?: Interval,
): LimitState {
  const limitState = new LimitState();
  limitState.read(definitionOf(limit).kernel, limit, keyState, nowMs, interval);
  return limitState;
}
