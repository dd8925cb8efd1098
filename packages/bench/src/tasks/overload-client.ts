import { type ClosedLoadOptions, closedLoad } from '../overload/closed-load.js';
import { stepsPerMs } from '../overload/cpu-work.js';
import type { LoadOptions } from '../overload/load-options.js';
import { type LoadResult, openLoad } from '../overload/open-load.js';

/** The clients of a server that is measured under load. */
export async function start() {
  return {
    stepsPerMs,
    closedLoad: (options: ClosedLoadOptions): Promise<number> => closedLoad(options),
    openLoad: (options: LoadOptions): Promise<LoadResult> => openLoad(options),
  };
}
