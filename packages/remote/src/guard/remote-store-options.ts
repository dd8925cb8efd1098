import type { Clock } from '@sluice/core/src/values/clock';
import type { Duration } from '@sluice/core/src/values/duration';

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
   * itself while it is unreachable. Default: 1.
   */
  instances?: number;
  /** The time for tests, instead of the server's time. The store then keeps what it has counted for at least 10 minutes. */
  clock?: Clock;
}

/** The options of `ready` of a store over a network. */
export interface ReadyOptions {
  /** When `ready()` rejects. Default: 5 s. */
  timeout?: Duration;
}
