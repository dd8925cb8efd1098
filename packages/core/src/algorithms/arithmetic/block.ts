// Why it is so: docs/why/blocks.md

import type { Wait } from './guarantee.js';

/** The end of a block without end. It is written and compared like any other end. */
export const FOREVER_MS = 2 ** 53 - 1;

/** The time that `admittedMs` of a state marks: of the last admission, or of the last block. */
export function markedMs(admittedMs: number): number {
  return admittedMs < -1 ? -2 - admittedMs : admittedMs;
}

/** What `admittedMs` is for a block that begins now: from it one sees whether the clock was ahead then. */
export function markOfBlock(nowMs: number): number {
  return -2 - nowMs;
}

/** What `admittedMs` is by a clock that may be behind the one that has written it. */
export function admittedBy(admittedMs: number, nowMs: number): number {
  return markedMs(admittedMs) > nowMs ? Math.max(-1, Math.min(admittedMs, nowMs)) : admittedMs;
}

/**
 * Returns the end of a block that a clock which was ahead may have set. By any other clock a block holds until its end, also if the
 * limit that reads it blocks nobody, or for another time.
 *
 * @param longestMs - the longest block of the limit; 0 if it does not block
 */
export function cutBlock(blockEndsMs: number, admittedMs: number, longestMs: number, nowMs: number): number {
  const mostMs = longestMs === 0 ? blockEndsMs - Math.max(markedMs(admittedMs), nowMs) : longestMs;
  return Math.min(blockEndsMs, nowMs + mostMs);
}

/** Returns the strikes that still count. A limit whose blocks do not grow counts none. */
export function strikesAt(
  strikes: number,
  hasGrowth: boolean,
  forgetMs: number,
  blockEndsMs: number,
  nowMs: number,
): number {
  return !hasGrowth || nowMs >= blockEndsMs + forgetMs ? 0 : strikes;
}

/** The wait for units that fit after a time, if the key is blocked until another one. */
export function afterBlock(fitsMs: Wait, blockEndsMs: number, nowMs: number): Wait {
  if (fitsMs === 'never' || blockEndsMs === FOREVER_MS) return 'never';
  return Math.max(fitsMs, blockEndsMs - nowMs);
}

/** Whether the last admission is known, and refusals still count after it. */
export function isAdmissionCounted(admittedMs: number, spanMs: number, nowMs: number): boolean {
  return admittedMs >= 0 && nowMs < admittedMs + spanMs;
}

/**
 * Whether a refused request counts. One that could never fit does not.
 *
 * @param countRejected - of the limit
 * @param hasAdmission - whether the last admission counts
 */
export function isRefusalCounted(
  units: number,
  quota: number,
  countRejected: boolean | 'always' | undefined,
  hasAdmission: boolean,
): boolean {
  if (units <= 0 || units > quota) return false;
  return countRejected === 'always' || (countRejected === true && hasAdmission);
}

/** The length of a block after so many in a row. */
export function blockLengthMs(blockMs: number, blocksMs: readonly number[] | undefined, strikes: number): number {
  if (blocksMs === undefined) return blockMs;
  return blocksMs[Math.min(strikes, blocksMs.length - 1)] as number;
}

/**
 * Milliseconds until nothing in a state matters any more.
 *
 * @param stateMs - the state of the kernel
 * @param blockMs - the block of the limit
 * @param forgetMs - how long strikes are remembered after it; 0 if there are none
 * @param countsMs - how long refusals count
 */
export function keptForMs(stateMs: number, blockMs: number, forgetMs: number, countsMs: number): number {
  return Math.max(stateMs, blockMs + forgetMs, countsMs);
}
