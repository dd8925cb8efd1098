import { type Clock, systemClock } from '@sluice/core';

/** Sleeps without keeping the process alive. Returns false if the signal aborts. */
export async function sleeps(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal, { unref: true });
    return true;
  } catch (reason) {
    if (signal.aborted) return false;
    throw reason;
  }
}

/**
 * Resolves like `work`, or rejects with `late()` after `ms` milliseconds, or with the reason of the signal. It is for
 * networks, so it goes by real time.
 */
export async function within<T>(ms: number, work: Promise<T>, late: () => Error, signal?: AbortSignal): Promise<T> {
  const isOver = new AbortController();
  const end = signal ? AbortSignal.any([signal, isOver.signal]) : isOver.signal;
  const timeout = systemClock.sleep(ms, end, { unref: true }).then(() => Promise.reject(late()));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    isOver.abort();
    timeout.catch(() => {});
  }
}
