import { ALGORITHMS } from './algorithms/index.js';
import { type Duration, durationMs } from './duration.js';
import type { Limit } from './limit.js';
import { shareOf } from './limit-share.js';
import { checkOptions, checkWhole } from './option-checks.js';

export interface BoundOptions {
  /** How many instances may each answer by themselves while their store is gone (`onStoreError: 'local'`); default 0: none does. */
  instances?: number;
  /** How often a store loses what it acknowledged (a failover, a restart without persistence, an eviction); default 0. */
  losses?: number;
  /** The largest cost that one request has; default 1. */
  cost?: number;
}

/**
 * The worst case of a limit as a number: the most units, less those given back, that are admitted in any window of this length.
 * For a leaky bucket, the most departures.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example boundOf(fixedWindow({ limit: 100, window: '1m' }), '1m') // 200: both sides of an edge
 */
export function boundOf(limit: Limit, window: Duration, options: BoundOptions = {}): number {
  checkOptions(options, ['instances', 'losses', 'cost']);
  const windowMs = durationMs(window, 'window');
  const instances = checkWhole(options.instances ?? 0, 'instances');
  const losses = checkWhole(options.losses ?? 0, 'losses');
  const largestCost = checkWhole(options.cost ?? 1, 'cost');
  if (limit.algorithm === 'unlimited') return Number.POSITIVE_INFINITY;
  const { bound } = ALGORITHMS[limit.algorithm];
  const lostAndFound = bound(limit, windowMs, largestCost) * (1 + losses);
  if (instances === 0) return lostAndFound;
  // A cost above the share is charged as the whole share, so one request may admit more than the share's own bound.
  return lostAndFound + instances * Math.max(bound(shareOf(limit, instances), windowMs, largestCost), largestCost);
}
