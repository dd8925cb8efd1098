import { type LimitedFetch, limitedFetch } from '@sluice/client';
import type { Store } from '@sluice/core';

/**
 * The client of an API that retried what was refused, each call for itself:
 *
 * ```js
 * const dispatcher = new RetryAgent(new Agent(), { maxRetries: 2, methods: ['GET', 'PUT'], maxTimeout: 30_000 });
 * const api = (url, init) => fetch(url, { ...init, dispatcher });
 * ```
 */
export function createApi(store: Store, send: typeof fetch = fetch): LimitedFetch {
  return limitedFetch({
    name: 'api',
    store,
    fetch: send,
    retry: { attempts: 3, methods: ['GET', 'PUT'] }, // maxRetries, and the first time
    maxWait: '30s', // a longer Retry-After ends the call, and is not cut
  });
}
