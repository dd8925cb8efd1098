import type { Capabilities, Store } from '@sluice/core/src/stores/store';
import type { Clock } from '@sluice/core/src/values/clock';
import type { StoreBeneath } from './store-beneath.js';

/** What a store that counts units in advance or later shows of the one beneath it. */
export class StoreInFront {
  readonly async = true;
  readonly selfProtection = true;
  readonly clock: Clock;
  readonly supports: Capabilities;
  readonly keyspaces: StoreBeneath['keyspaces'];
  readonly remote: NonNullable<Store['remote']>;

  constructor({ clock, supports, keyspaces, remote }: StoreBeneath) {
    this.clock = clock;
    this.supports = supports;
    this.keyspaces = keyspaces;
    this.remote = remote;
  }
}
