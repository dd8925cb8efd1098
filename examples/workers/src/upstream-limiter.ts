import { createLimiter, type Limit, type Limiter, type Store, slidingWindow, tokenBucket } from '@sluice/core';

/** What the upstream allows: so many requests in any window of this length. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
  /**
   * How long a request may be under way between the limiter and the upstream. The upstream counts a request when it arrives, so the
   * limiter counts by a window that is longer by this time.
   */
  readonly travelMs: number;
}

/** The upstream, as the limiter knows it. With several upstreams, each has a key of its own. */
export const PARTNER = 'partner';

/** The part of the upstream's limit that may come at once. */
const BURST = 0.1;

/**
 * Returns a limit that never admits more than the upstream allows, and spreads the requests evenly. Then few requests are under way at any
 * time, and few of them still arrive after the upstream has asked for a pause.
 */
export function limitFor({ limit, windowMs, travelMs }: Quota): Limit {
  const spanMs = windowMs + travelMs;
  if (limit <= 1) return slidingWindow({ limit, window: spanMs }); // there is nothing to spread
  const capacity = Math.max(1, Math.floor(limit * BURST));
  return tokenBucket({ capacity, refillRate: (1000 * (limit - capacity)) / spanMs });
}

/** The limiter that all workers share through the store. */
export function createUpstreamLimiter(quota: Quota, store: Store<true>): Limiter<string, true> {
  return createLimiter({ name: 'upstream', limit: limitFor(quota), store, onStoreError: 'deny' });
}
