import type { Ask } from './store.js';

/** How long whoever asks waits for a reply. Absent: as long as the store says. */
export type AskTimeout = Pick<Ask, 'timeoutMs'>;

/**
 * Returns how long to wait for what a store does because of an ask, such as to give back units: as long as for the ask itself. A
 * server that is too slow for others may be fast enough for this one, and is asked for it while it is not asked for them.
 */
export function askTimeoutOf({ timeoutMs }: AskTimeout): AskTimeout {
  return timeoutMs === undefined ? {} : { timeoutMs };
}
