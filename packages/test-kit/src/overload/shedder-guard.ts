import { createShedder, type ShedderOptions } from '@sluice/core/load';
import type { MakeGuard } from './guard.js';

/** A shedder as users make it, over the simulated event loop. */
export function shedder(options: Omit<ShedderOptions, 'eventLoop'> = {}): MakeGuard {
  return ({ eventLoop }) => createShedder({ ...options, eventLoop });
}
