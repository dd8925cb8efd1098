import { type Duration, durationMs } from '../values/duration.js';
import { optionError } from '../values/error.js';
import type { Limit } from '../values/limit.js';
import { checkOneOf, checkOptions, checkWhole } from '../values/option-checks.js';
import { checkLimit } from './check-limit.js';
import { definitionOf } from './definitions.js';
import { shareOf } from './share.js';

/** What a `SyncedStore` admits untold where nothing else is said: units of one kind of request. */
export const DEFAULT_SLICE = 10;

/** What makes the worst case worse. Numbers are whole and at least 0, `slice` at least 1. */
export interface BoundOptions {
  /**
   * How many instances may each answer by themselves while their store is gone (`onStoreError: 'local'`), or, with
   * `sync`, count apart from each other; default 0: none does.
   */
  instances?: number;
  /**
   * How often a store loses what it acknowledged (a failover, a restart without persistence, an eviction); default 0.
   */
  losses?: number;
  /** The largest cost that one request has; default 1. */
  cost?: number;
  /**
   * With a `SyncedStore`: how often its `instances` tell the store what they counted; 1 ms to 100 years. Default: they
   * do not count apart.
   */
  sync?: Duration;
  /** With `sync`: the most units that each instance admits untold; default 10, as the store's. */
  slice?: number;
  /**
   * What each of the `instances` does while their store is gone, as their policy says; default `'local'`. What `'allow'`
   * admits has no worst case.
   */
  onStoreError?: 'local' | 'allow' | 'deny';
}

/**
 * The worst case of a limit as a number: the most units, less those given back, that are admitted in any window of this
 * length (1 ms to 100 years). For a leaky bucket, the most departures; for concurrency, the most at once; Infinity for
 * `unlimited()`. A calendar window counts with the shortest interval that its time zone has in the years 2000 to 2100, by
 * the time zone data of the runtime; the first answer for a zone takes some tens of milliseconds.
 *
 * @throws SluiceError `SLUICE_OPTION` for what is no Limit, and a wrong window or option
 * @example boundOf(fixedWindow({ limit: 100, window: '1m' }), '1m') // 200: both sides of an edge
 */
export function boundOf(limit: Limit, window: Duration, options: BoundOptions = {}): number {
  checkLimit(limit, 'limit');
  checkOptions(options, ['instances', 'losses', 'cost', 'sync', 'slice', 'onStoreError']);
  const windowMs = durationMs(window, 'window');
  const instances = checkWhole(options.instances ?? 0, 'instances');
  const losses = checkWhole(options.losses ?? 0, 'losses');
  const largestCost = checkWhole(options.cost ?? 1, 'cost');
  const onStoreError = checkOneOf(options.onStoreError ?? 'local', 'onStoreError', ['local', 'allow', 'deny'] as const);
  const slice = checkWhole(options.slice ?? DEFAULT_SLICE, 'slice', 1);
  const syncMs = options.sync === undefined ? undefined : durationMs(options.sync, 'sync');
  if (options.slice !== undefined && syncMs === undefined) throw optionError('slice', 'needs a sync beside it', slice);
  if (limit.algorithm === 'unlimited' || (instances > 0 && onStoreError === 'allow')) return Number.POSITIVE_INFINITY;
  const { bound } = definitionOf(limit);
  const unsynced = syncMs === undefined ? 0 : Math.max(1, instances) * slice;
  const byTheStore = bound(limit, windowMs + (syncMs ?? 0), largestCost) * (1 + losses) + unsynced;
  if (instances === 0 || onStoreError === 'deny') return byTheStore;
  // A cost above the share is charged as the whole share, so one request may admit more than the share's own bound.
  return byTheStore + instances * Math.max(bound(shareOf(limit, instances), windowMs, largestCost), largestCost);
}
