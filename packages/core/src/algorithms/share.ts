import type { Limit } from '../values/limit.js';

/**
 * The part of a limit that each of several instances may admit by itself: `max(1, ceil(limit / instances))`, its rate
 * divided exactly. A limit of 0 stays 0.
 */
export function shareOf(limit: Limit, instances: number): Limit {
  if (instances === 1 || limit.quota === 0) return limit;
  const quota = Math.ceil(limit.quota / instances);
  const { capacity, m } = limit;
  return Object.freeze({
    ...limit,
    quota,
    ...(capacity !== undefined && { capacity: quota }),
    ...(m !== undefined && { m: m * instances }),
  });
}
