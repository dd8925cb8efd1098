import type { Controls } from '@sluice/config';
import type { Store } from '@sluice/core';

/** The store of the service, and the way in which its instances share the enforcement. */
export interface OpenedStore {
  readonly store: Store;
  /** Absent where each instance has an enforcement of its own: with all stores but Redis. */
  readonly controls?: Controls;
  /** Returns why the store could not be used at the start, as long as it cannot; otherwise undefined. */
  startError?(): unknown;
  /** Gives back what the store holds, and closes the connections. */
  close(): Promise<void>;
}

/** A store that instances share. */
export interface SharedStore extends OpenedStore {
  /**
   * Resolves when the store can decide. It may be called again after a failure.
   *
   * @throws SluiceError `SLUICE_STORE` if it cannot within this time; `SLUICE_OPTION` if it never can
   */
  ready(withinMs: number): Promise<void>;
}
