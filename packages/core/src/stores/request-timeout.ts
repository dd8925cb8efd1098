import type { StoreRequest } from './store.js';

/** How long whoever asks waits for a response. Absent: as long as the store says. */
export type RequestTimeout = Pick<StoreRequest, 'timeoutMs'>;

/**
 * Returns how long to wait for what a store does because of a request, such as to give back units: as long as for the request itself. A
 * server that is too slow for others may be fast enough for this one, and is asked for it while it is not asked for them.
 */
export function requestTimeoutOf({ timeoutMs }: RequestTimeout): RequestTimeout {
  return timeoutMs === undefined ? {} : { timeoutMs };
}
