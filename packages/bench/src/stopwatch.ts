import { processorMs } from './processor-time.js';

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface Stall {
  /** The longest that a turn of the event loop took. */
  longestMs: number;
  /** The same by the processor's time of all threads: the pauses of a busy machine do not count, those of other threads may. */
  longestProcessorMs: number;
}

/** Runs a server's day: some work in each turn of the event loop, until it is over. Gives the longest turn. */
export async function turns(work: () => unknown, isOver: () => boolean): Promise<Stall> {
  const stall = { longestMs: 0, longestProcessorMs: 0 };
  await immediate();
  while (!isOver()) {
    const startMs = performance.now();
    const startProcessorMs = processorMs();
    await work();
    await immediate();
    const wallMs = performance.now() - startMs;
    stall.longestMs = Math.max(stall.longestMs, wallMs);
    stall.longestProcessorMs = Math.max(stall.longestProcessorMs, Math.min(wallMs, processorMs() - startProcessorMs));
  }
  return stall;
}
