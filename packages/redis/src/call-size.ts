import type { Ask, Check } from '@sluice/core';
import { ALGORITHMS } from '@sluice/core/store';
import { fitsShortForm, heldMs } from './command-arguments.js';

/**
 * The room of one call, in checks on the fast path: Redis does nothing else while it decides about them, which takes a
 * fifth of a millisecond.
 */
export const ROOM = 64;

/** So many checks on the fast path take as long as one that needs a kernel. */
const KERNEL = 2;

/** Of a state that is a list, so many entries take as long as a check on the fast path. */
const ENTRIES = 8;

/** Of a sliding window so many parts do, since not every decision reads them: none where it has as many as by default. */
const PARTS = 32;

/** How much of a call's room an ask takes: all, where its answer is held, since that is the call's whole answer. */
export function sizeOf(ask: Ask): number {
  if (heldMs(ask) !== undefined) return ROOM;
  const isFast = fitsShortForm(ask);
  let size = 0;
  for (let i = 0; i < ask.checks.length; i += 1) size += sizeOfCheck(ask.checks[i] as Check, isFast);
  return Math.max(1, size);
}

function sizeOfCheck({ limit }: Check, isFast: boolean): number {
  const { algorithm, buckets = 0, blockMs, countRejected } = limit;
  const listLength = ALGORITHMS[algorithm]?.listLength(limit);
  if (listLength !== undefined) return KERNEL + Math.floor(listLength / ENTRIES);
  const parts = Math.floor(buckets / PARTS);
  return parts + (isFast && blockMs === undefined && countRejected === undefined ? 1 : KERNEL);
}
