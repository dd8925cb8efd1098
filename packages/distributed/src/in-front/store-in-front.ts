import type { Capabilities, Store } from '@sluice/core/src/stores/store';
import type { Clock } from '@sluice/core/src/values/clock';
import type { StoreBeneath } from './store-beneath.js';

/**
 * So many kinds of requests are known at a time, with some hundred bytes for each. Clients that make up keys must not fill the memory: the
 * store beneath is asked about each request of further kinds.
 */
export const MOST_KINDS = 100_000;

/** What a store that counts units in advance or later shows of the one beneath it. */
export class StoreInFront {
  /** Its methods may return promises. */
  readonly async = true;
  /** It asks the store beneath with a deadline and a breaker by itself. */
  readonly selfProtection = true;
  /** The clock of the store beneath. */
  readonly clock: Clock;
  /** What the store beneath can do, without what cannot be counted in advance or later. */
  readonly supports: Capabilities;
  /** Where the store beneath counts. */
  readonly keyspaces: StoreBeneath['keyspaces'];
  /** How the store beneath is asked over a network. */
  readonly remote: NonNullable<Store['remote']>;

  constructor({ clock, supports, keyspaces, remote }: StoreBeneath) {
    this.clock = clock;
    this.supports = supports;
    this.keyspaces = keyspaces;
    this.remote = remote;
  }
}
