import { type LimitedFetchOptions, limitedFetch } from '../../src/index.js';

/** What the calls of a client have led to. */
export interface Called {
  /** Answers with the status 200. */
  answered: number;
  /** Answers with another status, and calls without an answer. */
  failed: number;
  /** The time of each answer. */
  readonly atMs: number[];
  readonly limit: () => number | undefined;
  readonly done: Promise<unknown>;
}

/** Has this many calls of a client waiting or under way until the signal aborts. */
export function callAll(url: string, callers: number, signal: AbortSignal, options: LimitedFetchOptions): Called {
  // A concurrency is measured, and no breaker, which would refuse what a fixed one that is too large sends in vain.
  const api = limitedFetch({ maxWait: '1h', breaker: false, ...options });
  const caller = async (): Promise<void> => {
    while (!signal.aborted) {
      const response = await api(url, { signal }).catch(() => undefined);
      await response?.text().catch(() => {});
      if (signal.aborted) return;
      if (response?.ok) {
        called.answered += 1;
        called.atMs.push(performance.now());
      } else called.failed += 1;
    }
  };
  const called: Called = {
    answered: 0,
    failed: 0,
    atMs: [],
    limit: () => api.concurrency(new URL(url).origin)?.limit,
    done: Promise.all(Array.from({ length: callers }, caller)),
  };
  return called;
}
