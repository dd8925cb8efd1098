// Why it is so: core/docs/why/outgoing-calls.md

import { type Limit, tokenBucket } from '@sluice/core';

/** A refusal lengthens windows by this many hundredths. A quiet window shortens them by one. */
const STEPS_PER_REFUSAL = 5;

/** The most hundredths by which windows are lengthened: to twice their length. */
const MOST_STEPS = 100;

/** How long the length that met a refusal is remembered: then shorter windows are tried again. */
const REMEMBERED = '1d';

/** The units of the two buckets that hold the numbers of a key, so that all processes have the same. */
const CAPACITY = 1000;

/** By how many hundredths the windows of a key are longer, in the shared store. */
export interface Lengthening {
  /** Comes back by one a window. */
  readonly current: number;
  /** One more than the last that met a refusal. */
  readonly least: number;
}

/** A bucket counts the steps as units that it misses. It gets one back in each window. */
export function currentSteps(windowMs: number): Limit {
  return tokenBucket({ capacity: CAPACITY, refillRate: 1, refillInterval: windowMs });
}

/** A bucket that gets nothing back counts the least steps. */
export const LEAST_STEPS: Limit = tokenBucket({ capacity: CAPACITY, refillRate: 0, keepFor: REMEMBERED });

/** The steps that count. */
export function stepsOf({ current, least }: Lengthening): number {
  return Math.min(MOST_STEPS, Math.max(current, least));
}

/** Returns what to add after a refusal of a request that was sent at `steps`. */
export function addedSteps(steps: number, now: Lengthening): Lengthening {
  const to = (target: number, from: number): number => Math.max(0, Math.min(MOST_STEPS, target) - from);
  return { current: to(steps + STEPS_PER_REFUSAL, now.current), least: to(steps + 1, now.least) };
}
