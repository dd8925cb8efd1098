// Why it is so: docs/why/metrics.md

import type { DurationHistogram } from '../values/duration-recorder.js';
import { allStoreRecorders, type BreakerState, type StoreRecorder } from '../values/store-recorder.js';

/** What the stores of one name have done in this process since it started. */
export interface StoreMetrics {
  /** The `name` of the stores. Stores with one name are counted together. */
  readonly store: string;
  /**
   * How long the calls of a remote store took, by operation: from the call until its response, its failure, or its deadline.
   * A store in this process has no round trips, so its numbers stay 0.
   */
  readonly operations: {
    /** Decisions, also those of `peek`. A decision that several servers make is one call for each of them. */
    readonly consume: DurationHistogram;
    /** Corrections: `settle`, `cancel`, `charge`, `refund`, and slots that are freed. */
    readonly adjust: DurationHistogram;
    /** Keys that are forgotten by `reset`. */
    readonly reset: DurationHistogram;
  };
  /**
   * Failed calls of a remote store: it did not answer in time (`timeout`), it was not asked because it had failed before
   * (`unavailable`), or anything else (`error`). Unlike `storeErrors` of a policy, one call may concern several policies.
   */
  readonly errors: { readonly timeout: number; readonly unavailable: number; readonly error: number };
  /**
   * Whether the store is asked: always (`'closed'`), not until a probe succeeds (`'open'`), or a probe is under way
   * (`'half-open'`). If there are several servers, the worst state of them. Absent if the store has no circuit breaker.
   */
  readonly breaker?: BreakerState;
  /** How many keys are kept in this process now. Absent if the store keeps them elsewhere. */
  readonly keys?: number;
  /** How many keys may be kept in this process. Several stores have the sum of theirs. */
  readonly maxKeys?: number;
  /**
   * How many exhausted keys were removed to make room for others, so that they start again with the full limit. Raise
   * `maxKeys` if this number grows.
   */
  readonly evictedKeys: number;
}

/**
 * Returns what the stores of this process have done so far. The numbers are always counted, and only grow, except for
 * `keys` and `maxKeys`. They are kept after a store is closed. At most 1,000 names are told apart. Further ones are
 * counted together as `'(others)'`.
 *
 * @example
 * for (const { store, errors } of storeMetrics()) console.log(store, errors.timeout);
 */
export function storeMetrics(): readonly StoreMetrics[] {
  return [...allStoreRecorders()].map(read);
}

function read(recorder: StoreRecorder): StoreMetrics {
  const { store, operations, errors, evictedKeys, hasTables, hasBreakers } = recorder;
  const { consume, adjust, reset } = operations;
  return {
    store,
    operations: { consume: consume.read(), adjust: adjust.read(), reset: reset.read() },
    errors: { ...errors },
    ...(hasBreakers && { breaker: worstOf(recorder) }),
    ...(hasTables && keysOf(recorder)),
    evictedKeys,
  };
}

const FROM_WORST: readonly BreakerState[] = ['open', 'half-open', 'closed'];

/** A breaker that is not used any more counts as closed. */
function worstOf({ breakers }: StoreRecorder): BreakerState {
  const states = new Set([...breakers].map(({ state }) => state));
  return FROM_WORST.find((state) => states.has(state)) ?? 'closed';
}

function keysOf({ tables }: StoreRecorder): Required<Pick<StoreMetrics, 'keys' | 'maxKeys'>> {
  let keys = 0;
  let maxKeys = 0;
  for (const table of tables) {
    keys += table.size;
    maxKeys += table.maxKeys;
  }
  return { keys, maxKeys };
}
