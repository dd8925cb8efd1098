import { DurationRecorder } from './duration-recorder.js';
import type { SluiceEvents } from './events.js';
import { type FailureMetrics, newFailureMetrics, recordFailure } from './failure-metrics.js';
import { NamedRecorders } from './named-recorders.js';
import { WeakList } from './weak-list.js';

/** Whether calls reach a server: all (`closed`), none (`open`), or none but a probe that is under way (`half-open`). */
export type BreakerState = SluiceEvents['sluice:breaker']['state'];

/** Keeps a bounded number of keys. */
interface BoundedKeys {
  /** How many keys it has now. */
  readonly size: number;
  readonly maxKeys: number;
}

/** The ends of the buckets for round trips. */
const ROUND_TRIPS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100];

/** The counts of all stores of one name in this process. They are kept until the process ends. */
export class StoreRecorder {
  readonly store: string;
  readonly operations: Readonly<Record<'consume' | 'adjust' | 'reset', DurationRecorder>>;
  readonly errors: FailureMetrics = newFailureMetrics();
  evictedKeys = 0;
  /** Whether a store of this name ever kept its keys in this process. */
  hasTables = false;
  /** Whether a store of this name ever had a breaker. */
  hasBreakers = false;
  readonly #tables = new WeakList<BoundedKeys>();
  readonly #breakers = new WeakList<{ readonly state: BreakerState }>();

  constructor(store: string) {
    this.store = store;
    const durationsOf = (operation: 'consume' | 'adjust' | 'reset') =>
      new DurationRecorder({ kind: 'store-call', store, operation }, ROUND_TRIPS_MS);
    this.operations = { consume: durationsOf('consume'), adjust: durationsOf('adjust'), reset: durationsOf('reset') };
  }

  get tables(): Iterable<BoundedKeys> {
    return this.#tables;
  }

  get breakers(): Iterable<{ readonly state: BreakerState }> {
    return this.#breakers;
  }

  /** Counts a call that failed with this error. */
  failed(error: unknown): void {
    recordFailure(this.errors, error);
  }

  /** Counts the keys of a table until it is not used any more, or until the returned function is called. */
  addTable(table: BoundedKeys): () => void {
    this.hasTables = true;
    return this.#tables.add(table);
  }

  /** Reports the state of a breaker until it is not used any more. */
  addBreaker(breaker: { readonly state: BreakerState }): void {
    this.hasBreakers = true;
    this.#breakers.add(breaker);
  }
}

const stores = new NamedRecorders(1000, (name) => new StoreRecorder(name));

/** Returns the counts of all stores with this name. The first call creates them. */
export function storeRecorder(name: string): StoreRecorder {
  return stores.of(name);
}

/** Returns the counts of every store of this process. */
export function allStoreRecorders(): Iterable<StoreRecorder> {
  return stores.all();
}
