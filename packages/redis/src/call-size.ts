import type { Ask, Check } from '@sluice/core';
import { ALGORITHMS } from '@sluice/core/store';
import { heldMs, isPlain } from './command-arguments.js';

/**
 * The room of one call, in lean checks: Redis does nothing else while it decides about them, which takes a fifth of a
 * millisecond.
 */
export const ROOM = 64;

/** So many lean checks take as long as one that a kernel has to be asked about. */
const KERNEL = 2;

/** Of a state that is a list, so many entries take as long as a lean check. */
const ENTRIES = 8;

/** Of a sliding window so many parts do, since not every decision reads them: none where it has as many as by default. */
const PARTS = 32;

/** How much of a call's room a question takes: all, where its answer is held, since that is the call's whole answer. */
export function sizeOf(ask: Ask): number {
  if (heldMs(ask) !== undefined) return ROOM;
  const isLean = isPlain(ask);
  let size = 0;
  for (let i = 0; i < ask.checks.length; i += 1) size += sizeOfCheck(ask.checks[i] as Check, isLean);
  return Math.max(1, size);
}

function sizeOfCheck({ limit }: Check, isLean: boolean): number {
  const { algorithm, buckets = 0, blockMs, countRejected } = limit;
  const listLength = ALGORITHMS[algorithm]?.listLength(limit);
  if (listLength !== undefined) return KERNEL + Math.floor(listLength / ENTRIES);
  const parts = Math.floor(buckets / PARTS);
  return parts + (isLean && blockMs === undefined && countRejected === undefined ? 1 : KERNEL);
}
