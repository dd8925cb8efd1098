import { type Duration, durationMs } from '../values/duration.js';
import { checkPlainOptions, type Limit, type LimitOptions } from '../values/limit.js';
import { checkWhole } from '../values/option-checks.js';
import {
  available,
  type ConcurrencyLimit,
  type ConcurrencyState,
  fresh,
  holds,
  isAhead,
  normalize,
  refund,
  spend,
  waitMs,
} from './arithmetic/concurrency.js';
import type { AlgorithmDefinition } from './definition.js';
import type { Kernel } from './kernel.js';

/** The options of `concurrency`. */
export interface ConcurrencyOptions extends Pick<LimitOptions, 'name'> {
  /** How many slots can be held at once: 0 to 10,000. */
  limit: number;
  /**
   * How long a slot stays taken if its holder does not renew it, for example because the process died; at least 1 s.
   * Sluice renews the slots of running requests after a third of this time.
   */
  lease: Duration;
}

/** Every decision goes through all slots of its key, so their number needs a maximum. */
const LARGEST_LIMIT = 10_000;

/**
 * Limits how many requests run at the same time. Use it for work that is expensive while it runs. For requests per
 * time, use `slidingWindow` or `tokenBucket`.
 *
 * A request takes a slot when it is admitted, and frees it when it ends in any way. If the holder dies, the slot is
 * freed when its lease ends. You need a reservation to free a slot: call `reserve` or `wait`, not `consume`. The
 * adapters do this for you.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example concurrency({ limit: 3, lease: '30s' })
 */
export function concurrency(options: ConcurrencyOptions): Limit {
  const shared = checkPlainOptions(options, ['limit', 'lease'], 'a concurrency limit');
  const quota = checkWhole(options.limit, 'limit', 0, LARGEST_LIMIT);
  return Object.freeze({
    algorithm: 'concurrency',
    quota,
    leaseMs: durationMs(options.lease, 'lease', 1000),
    ...shared,
  });
}

/** Keeps slots by the id of their holder. Expired slots are removed when another slot is taken. */
const concurrencyKernel: Kernel<ConcurrencyState, ConcurrencyLimit> = {
  json: {
    encode: ({ ids, ends }) => ids.flatMap((id, i) => [id, ends[i] as number]),

    decode(values) {
      const state = fresh();
      for (let i = 0; i < values.length; i += 2) {
        const [id, endMs] = [values[i], values[i + 1]];
        if (typeof id !== 'string' || typeof endMs !== 'number') return undefined;
        state.ids.push(id);
        state.ends.push(endMs);
      }
      return state;
    },
  },

  fresh,
  isAhead,
  normalize,
  available,
  waitMs,
  holds,
  spend,
  refund,
};

/** The definition of concurrency limits. */
export const concurrencyDefinition: AlgorithmDefinition<'concurrency', ConcurrencyState, ConcurrencyLimit> = {
  algorithm: 'concurrency',
  tag: 'cc',
  kernel: concurrencyKernel,
  numbers: () => [['leaseMs', 1]],
  largestQuota: () => LARGEST_LIMIT,
  defaultName: () => 'concurrency',
  spanMs: ({ leaseMs }) => leaseMs,
  longestWaitMs: ({ leaseMs }) => leaseMs,
  share: (limit, quota) => ({ ...limit, quota }),
  bound: ({ quota }, _windowMs, _largestCost, margin) => quota + margin,
  // A slot belongs to the id of one request. No other request can use it.
  lease: undefined,
  guarantee: { partOf: (limit, quota) => ({ ...limit, quota }) },
  quotaUnit: 'concurrent-requests',
  headerWindowMs: () => undefined,
  // A slot is freed when a request ends. No clock can predict that.
  refillMs: () => 1000,
  listLength: ({ quota }) => quota,
};
