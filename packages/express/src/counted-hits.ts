import { type Check, type Verdict, wallClock } from '@sluice/core';

/** What is known of a key: the hits of its window, of which those above the limit were refused. */
export interface CountedHits {
  readonly hits: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** What is said of a window that nobody can look into. */
export function atTheStrictest({ limit: { quota } }: Check, nowMs: number, windowMs: number): CountedHits {
  return { hits: quota, startMs: nowMs, endMs: nowMs + windowMs };
}

export function verdictOf(
  { name, limit, cost, shadow }: Check,
  { hits, startMs, endMs }: CountedHits,
  allowed: boolean,
): Verdict {
  const leftMs = Math.min(Math.max(1, endMs - wallClock.now()), endMs - startMs);
  const remaining = Math.max(0, limit.quota - hits);
  const resetAfterMs = hits === 0 ? 0 : leftMs;
  return {
    name,
    limit,
    cost,
    allowed,
    remaining,
    used: hits,
    resetAfterMs,
    retryAfterMs: remaining > 0 ? 0 : limit.quota === 0 ? 'never' : resetAfterMs,
    delayMs: 0,
    ...(shadow && { shadow }),
  };
}
