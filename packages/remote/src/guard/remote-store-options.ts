import type { Store } from '@sluice/core/src/stores/store';
import type { Clock } from '@sluice/core/src/values/clock';
import type { Duration } from '@sluice/core/src/values/duration';
import { checkFunction, checkWhole } from '@sluice/core/src/values/option-checks';

/** The options that every store over a network has. */
export interface RemoteStoreOptions {
  /**
   * The name under which `storeMetrics()` counts the store: 1 to 128 printable ASCII characters. Default: the kind of the store,
   * such as `'redis'`.
   */
  name?: string;
  /**
   * How long a decision may take: at most 2.4 days, or 24.8 days for a `RedisStore`. After that, the policy's `onStoreError` decides.
   * Default: 100 ms, or 50 ms for a `RedisStore`.
   */
  timeout?: Duration;
  /**
   * How many instances of the application share the server or the table. It determines the share that each instance admits by
   * itself while it is unreachable, and whether waits are spread, so that not all instances ask in one moment. Default: 1.
   */
  instances?: number;
  /**
   * Returns numbers from 0 to below 1, for tests. Where there are several `instances`, they shorten waits, so that not all instances ask in
   * one moment. Default: random numbers.
   */
  random?: () => number;
  /** The time for tests, instead of the server's time. The store then keeps what it has counted for at least 10 minutes. */
  clock?: Clock;
}

/** The options of `ready` of a store over a network. */
export interface ReadyOptions {
  /** When `ready()` rejects. Default: 5 s. */
  timeout?: Duration;
}

/**
 * Returns what the options say of those who share the store.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function sharingOf({
  instances = 1,
  random,
}: RemoteStoreOptions): Pick<NonNullable<Store['remote']>, 'instances' | 'random'> {
  checkWhole(instances, 'instances', 1);
  if (random === undefined) return { instances };
  checkFunction(random, 'random');
  return { instances, random };
}
