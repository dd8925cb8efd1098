import type { Ask, Check } from '@sluice/core';

/** The room of one call, in checks: Redis does nothing else while it decides about them, which takes a tenth of a millisecond. */
export const ROOM = 32;

/** Of a state that is a list, so many entries take as long as a check. */
const ENTRIES = 16;

/** How much of a call's room a question takes. One whose answer is held takes all, since the call's answer is what is held. */
export function sizeOf({ checks, holdMs }: Ask): number {
  if (holdMs !== undefined) return ROOM;
  let size = 1;
  for (let i = 0; i < checks.length; i += 1) size += sizeOfCheck(checks[i] as Check);
  return Math.max(1, size - 1);
}

function sizeOfCheck({ limit: { algorithm, quota } }: Check): number {
  return algorithm === 'sliding-window-log' || algorithm === 'concurrency' ? 1 + Math.floor(quota / ENTRIES) : 1;
}
