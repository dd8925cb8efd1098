import type { Controls } from '@sluice/config';
import type { Store } from '@sluice/core';

/** The store of the service, and the way in which its instances share the enforcement. */
export interface OpenedStore {
  readonly store: Store;
  /** Absent in memory: there is one instance. */
  readonly controls?: Controls;
  /** Gives back what the store holds, and closes the connections. */
  close(): Promise<void>;
}
