import { type Duration, durationMs } from '../values/duration.js';
import { optionError } from '../values/error.js';
import type { Limit } from '../values/limit.js';
import { checkFraction, checkOneOf, checkOptions, checkWhole } from '../values/option-checks.js';
import { keptForParts } from './arithmetic/guarantee.js';
import { checkCountableLimit } from './check-limit.js';
import { definitionOf, isAlgorithm } from './definitions.js';
import { shareOf } from './share.js';
import { checkSlice, sliceUnits } from './slice.js';

/** The conditions that make the worst case worse. All numbers but `lend` and `slice` are whole and at least 0. */
export interface BoundOptions {
  /**
   * How many instances count separately: while their store is unreachable (`onStoreError: 'local'`), or always with
   * `sync`. Default: 0.
   */
  instances?: number;
  /**
   * How often a store loses writes that it had acknowledged (a failover, a restart without persistence, an eviction).
   * Default: 0.
   */
  losses?: number;
  /** The largest cost of one request. Default: 1. */
  cost?: number;
  /**
   * Units by which requests may pass the limit (a tolerance or an elastic part) or, if negative, the units that they have to
   * leave free: a whole number from `-quota` to `quota`. It must not be used with `sync`. Default: 0.
   */
  margin?: number;
  /**
   * Units of the limit that are guaranteed to tenants together: the `total` of a guarantee, from 0 to the quota. It must
   * not be used with `margin` or `sync`. Default: 0.
   */
  guaranteed?: number;
  /** Only with `guaranteed`: the part of these units that is lent while it is not used, from 0 to 1. Default: 0. */
  lend?: number;
  /**
   * For a `SyncedStore`: how often each of the `instances` synchronizes its counts with the store; 1 ms to 100 years.
   * Default: no `SyncedStore`.
   */
  sync?: Duration;
  /**
   * Only with `sync`: the most units that each instance admits before it synchronizes: a whole number of at least 1, or a share of the
   * limit between 0 and 1. Default: a tenth of the limit, and at least 10, as in `SyncedStore`.
   */
  slice?: number;
  /**
   * What the policy of each of the `instances` does while its store is unreachable. Default: `'local'`. With `'allow'`
   * there is no worst case.
   */
  onStoreError?: 'local' | 'allow' | 'deny';
}

/**
 * Computes the worst case of a limit: the most units that are admitted in any window of this length. Units that were
 * given back do not count. Use it to check that a backend can carry what a limit admits.
 *
 * For a leaky bucket, it is the most departures. For a concurrency limit, it is the most slots held at once. For
 * `unlimited()`, it is Infinity. For a calendar window, the shortest interval from 2000 to 2100 counts, by the time
 * zone data of the runtime; the first call for a time zone takes some tens of milliseconds.
 *
 * @param window - 1 ms to 100 years
 * @throws SluiceError `SLUICE_OPTION` if `limit` is no Limit, or the window or an option is wrong
 * @example boundOf(fixedWindow({ limit: 100, window: '1m' }), '1m') // 200: 100 on each side of a window's end
 */
export function boundOf(limit: Limit, window: Duration, options: BoundOptions = {}): number {
  checkCountableLimit(limit, 'limit');
  const windowMs = durationMs(window, 'window');
  const { instances, losses, largestCost, margin, guaranteed, lend, onStoreError, slice, syncMs } = conditionsOf(
    options,
    limit,
  );
  if (limit.algorithm === 'unlimited' || (instances > 0 && onStoreError === 'allow')) return Number.POSITIVE_INFINITY;
  const { bound } = definitionOf(limit);
  const unsynced = syncMs === undefined ? 0 : Math.max(1, instances) * slice;
  const whole = boundWithin(limit, margin, guaranteed, lend, (most) =>
    bound(limit, windowMs + (syncMs ?? 0), largestCost, most),
  );
  const byTheStore = whole * (1 + losses) + unsynced;
  if (instances === 0 || onStoreError === 'deny') return byTheStore;
  // A cost above the share spends the whole share. One request can then admit more than the bound of the share.
  const share = shareOf(limit, instances);
  const guaranteedShare = Math.ceil(guaranteed / instances);
  const byTheShare = boundWithin(share, largestShareOf(margin, limit, share), guaranteedShare, lend, (most) =>
    bound(share, windowMs, largestCost, most),
  );
  return byTheStore + instances * Math.max(byTheShare, largestCost);
}

/** What makes the worst case worse, with defaults. */
interface Conditions {
  readonly instances: number;
  readonly losses: number;
  readonly largestCost: number;
  readonly margin: number;
  readonly guaranteed: number;
  readonly lend: number;
  readonly onStoreError: 'local' | 'allow' | 'deny';
  readonly slice: number;
  readonly syncMs: number | undefined;
}

/** Checks the options. */
function conditionsOf(options: BoundOptions, limit: Limit): Conditions {
  checkOptions(options, [
    'instances',
    'losses',
    'cost',
    'margin',
    'guaranteed',
    'lend',
    'sync',
    'slice',
    'onStoreError',
  ]);
  const instances = checkWhole(options.instances ?? 0, 'instances');
  const losses = checkWhole(options.losses ?? 0, 'losses');
  const largestCost = checkWhole(options.cost ?? 1, 'cost');
  const margin = checkMargin(options.margin ?? 0, limit);
  const { guaranteed, lend } = guaranteeOf(options, limit);
  const onStoreError = checkOneOf(options.onStoreError ?? 'local', 'onStoreError', ['local', 'allow', 'deny'] as const);
  const slice = sliceUnits(checkSlice(options.slice), limit.quota);
  const syncMs = options.sync === undefined ? undefined : durationMs(options.sync, 'sync');
  if (options.slice !== undefined && syncMs === undefined) throw optionError('slice', 'needs the option sync', slice);
  if (margin !== 0 && syncMs !== undefined) throw optionError('margin', 'cannot stand beside sync', margin);
  return { instances, losses, largestCost, margin, guaranteed, lend, onStoreError, slice, syncMs };
}

/**
 * Returns the bound of a limit with a margin, or with units that are lent: they can be spent once more when their owners
 * come back, so they count like a margin.
 */
function boundWithin(
  limit: Limit,
  margin: number,
  guaranteed: number,
  lend: number,
  bound: (margin: number) => number,
): number {
  if (guaranteed === 0) return bound(margin);
  const lent = guaranteed - keptForParts(guaranteed, lend);
  return bound(lent) + (definitionOf(limit).guarantee?.roundsUnits ? 1 : 0);
}

function guaranteeOf(options: BoundOptions, limit: Limit): { guaranteed: number; lend: number } {
  const { guaranteed, lend, margin, sync } = options;
  if (guaranteed === undefined) {
    if (lend !== undefined) throw optionError('lend', 'needs the option guaranteed', lend);
    return { guaranteed: 0, lend: 0 };
  }
  checkWhole(guaranteed, 'guaranteed', 0, limit.quota);
  const rule = isAlgorithm(limit.algorithm) ? definitionOf(limit).guarantee : undefined;
  if (rule?.partOf(limit, guaranteed) === undefined) {
    throw optionError('guaranteed', 'must be left out for a limit that no guarantee can divide', guaranteed);
  }
  for (const [option, value] of [
    ['margin', margin],
    ['sync', sync],
  ] as const) {
    if (value) throw optionError(option, 'cannot stand beside guaranteed', value);
  }
  return { guaranteed, lend: checkFraction(lend ?? 0, 'lend') };
}

function checkMargin(margin: number, { quota }: Limit): number {
  if (Number.isSafeInteger(margin) && Math.abs(margin) <= quota) return margin;
  throw optionError('margin', `must be a whole number from ${0 - quota} to ${quota}`, margin);
}

/** Returns the most that a share of the limit can have of a margin. The margin was rounded down for the whole limit. */
function largestShareOf(margin: number, limit: Limit, share: Limit): number {
  if (margin === 0 || limit.quota === 0) return 0;
  const ratio = Math.min(1, (margin + 1) / limit.quota);
  return Math.min(share.quota, Math.floor(share.quota * ratio));
}
