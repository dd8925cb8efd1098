import { type Duration, durationMs } from '../values/duration.js';
import { checkPlainOptions, type Limit, type LimitOptions } from '../values/limit.js';
import { checkWhole } from '../values/option-checks.js';
import type { AlgorithmDefinition } from './definition.js';
import type { Kernel } from './kernel.js';

/** What `concurrency` is told. */
export interface ConcurrencyOptions extends Pick<LimitOptions, 'name'> {
  /** Slots: how many may be held at once, 0 to 10,000. */
  limit: number;
  /** How long a slot outlives a holder that died; at least 1 s. Living holders renew it at a third of this. */
  lease: Duration;
}

/** Every decision walks the slots of its key, so their number has an end. */
const LARGEST_LIMIT = 10_000;

/**
 * A limit of how many at once: a slot is held from admission until it is released, on every way a request can end. A
 * holder that died loses its slot when the lease ends.
 *
 * It needs an answer that can be given back: `reserve` or `wait`, not `consume`. Adapters see to it.
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

/** When each slot's lease ends, by the id of its holder. */
interface ConcurrencyState {
  readonly slots: Map<string, number>;
}

/** A limit that `concurrency` made. */
type ConcurrencyLimit = Limit & { readonly leaseMs: number };

const liveEnds = (state: ConcurrencyState, nowMs: number): number[] =>
  [...state.slots.values()].filter((endMs) => endMs > nowMs);

/** Slots by the id of their holder; lapsed ones are dropped when another is taken. */
const concurrencyKernel: Kernel<ConcurrencyState, ConcurrencyLimit> = {
  json: {
    encode: ({ slots }) => [...slots].flat(),

    decode(values) {
      const slots = new Map<string, number>();
      for (let i = 0; i < values.length; i += 2) {
        const [id, endMs] = [values[i], values[i + 1]];
        if (typeof id !== 'string' || typeof endMs !== 'number') return undefined;
        slots.set(id, endMs);
      }
      return { slots };
    },
  },

  fresh: () => ({ slots: new Map() }),

  isAhead(state, limit, nowMs) {
    for (const endMs of state.slots.values()) if (endMs > nowMs + limit.leaseMs) return true;
    return false;
  },

  normalize(state, limit, nowMs) {
    if (!this.isAhead(state, limit, nowMs)) return state;
    const latestMs = nowMs + limit.leaseMs;
    return { slots: new Map([...state.slots].map(([id, endMs]) => [id, Math.min(endMs, latestMs)])) };
  },

  available: (state, limit, nowMs) => limit.quota - liveEnds(state, nowMs).length,

  waitMs(state, limit, units, nowMs) {
    if (units > limit.quota) return 'never';
    const ends = liveEnds(state, nowMs).sort((a, b) => a - b);
    const toEnd = ends.length + units - limit.quota;
    return toEnd <= 0 ? 0 : (ends[toEnd - 1] as number) - nowMs;
  },

  holds: (state, id, nowMs) => (state.slots.get(id) ?? 0) > nowMs,

  spend(state, limit, _units, nowMs, id) {
    for (const [other, endMs] of state.slots) if (endMs <= nowMs) state.slots.delete(other);
    if (id !== undefined) state.slots.set(id, nowMs + limit.leaseMs);
  },

  refund(state, _limit, _units, nowMs, _atMs, id) {
    const held = id !== undefined && this.holds?.(state, id, nowMs);
    if (held) state.slots.delete(id);
    return held === true;
  },
};

/** All that is known of concurrency limits. */
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
  bound: ({ quota }) => quota,
  // A slot is held by its id, and no other request can use it.
  lease: undefined,
  canRefund: true,
  quotaUnit: 'concurrent-requests',
  headerWindowMs: () => undefined,
  // Slots come free when requests end, which no clock foretells.
  refillSeconds: () => 1,
  listLength: ({ quota }) => quota,
};
