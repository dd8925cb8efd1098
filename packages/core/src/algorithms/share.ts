import type { Limit } from '../values/limit.js';
import { ALGORITHMS } from './definitions.js';

/**
 * Returns the share of a limit that each of several instances can admit by itself: a quota of `max(1, ceil(limit /
 * instances))`, and the rate divided exactly. A limit of 0 stays 0, and `unlimited()` stays unlimited.
 */
export function shareOf(limit: Limit, instances: number): Limit {
  const definition = ALGORITHMS[limit.algorithm];
  if (definition === undefined || instances === 1 || limit.quota === 0) return limit;
  return Object.freeze(definition.share(limit, Math.ceil(limit.quota / instances), instances));
}
