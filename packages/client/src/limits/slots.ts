import { concurrency, type Limit } from '@sluice/core';

/** The most requests at the same time that a limit can count. */
export const MOST_SLOTS = 10_000;

/** How long the slots of a process that has crashed stay taken. */
const LEASE_MS = 30_000;

/** The limit of how many requests are under way at the same time. */
export function slots(limit: number): Limit {
  return concurrency({ limit, lease: LEASE_MS });
}
