import { type LimitCheck, type Verdict, wallClock } from '@sluice/core';
import { verdictOf } from '@sluice/core/store';

/** The state of a key: the hits of its window. Hits above the limit were refused. */
export interface CountedHits {
  readonly hits: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Returns the strictest state, for a window that cannot be read. */
export function atTheStrictest({ limit: { quota } }: LimitCheck, nowMs: number, windowMs: number): CountedHits {
  return { hits: quota, startMs: nowMs, endMs: nowMs + windowMs };
}

/** Returns the verdict of a check whose window has these hits. */
export function hitVerdict(check: LimitCheck, { hits, startMs, endMs }: CountedHits, allowed: boolean): Verdict {
  const { quota } = check.limit;
  const leftMs = Math.min(Math.max(1, endMs - wallClock.now()), endMs - startMs);
  const remaining = Math.max(0, quota - hits);
  const resetAfterMs = hits === 0 ? 0 : leftMs;
  const retryAfterMs = remaining > 0 ? 0 : quota === 0 ? 'never' : resetAfterMs;
  return verdictOf(check, { allowed, remaining, used: hits, resetAfterMs, retryAfterMs, delayMs: 0 });
}
