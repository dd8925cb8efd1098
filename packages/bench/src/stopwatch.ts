import { processorMs, waitedForProcessorMs } from './processor-time.js';

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface Stall {
  /** The longest that a turn of the event loop took. */
  longestMs: number;
  /**
   * The longest by the time of the processor: without what the thread of the event loop waited for one, and at most what all threads had
   * of it. So neither the pauses of a busy machine count, nor the work of other threads.
   */
  longestProcessorMs: number;
}

/** Runs a server's day: some work in each turn of the event loop, until it is over. Gives the longest turn. */
export async function turns(work: () => unknown, isOver: () => boolean): Promise<Stall> {
  const stall = { longestMs: 0, longestProcessorMs: 0 };
  await immediate();
  while (!isOver()) {
    const startMs = performance.now();
    const startProcessorMs = processorMs();
    const startWaitedMs = waitedForProcessorMs();
    await work();
    await immediate();
    const wallMs = performance.now() - startMs;
    const ranMs = wallMs - (waitedForProcessorMs() - startWaitedMs);
    stall.longestMs = Math.max(stall.longestMs, wallMs);
    stall.longestProcessorMs = Math.max(stall.longestProcessorMs, Math.min(ranMs, processorMs() - startProcessorMs));
  }
  return stall;
}
