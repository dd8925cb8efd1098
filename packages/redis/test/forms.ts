import type { Store } from '@sluice/core';
import { LeasedStore, ShardedStore, SyncedStore } from '@sluice/core/distributed';

/** The most units that a synced process admits before it synchronizes. */
export const SLICE = 5;

/** The stores that stand before those where units are counted, by name. */
export const FORMS = {
  leased: (newStore: () => Store<true>): Store<true> =>
    new LeasedStore({ busyFrom: 1, store: newStore(), lease: '1s' }),
  synced: (newStore: () => Store<true>): Store<true> =>
    new SyncedStore({ busyFrom: 1, store: newStore(), sync: '1m', slice: SLICE }),
  sharded: (newStore: () => Store<true>): Store<true> =>
    new ShardedStore({ nodes: { a: newStore(), b: newStore(), c: newStore() } }),
} as const;

export type Form = keyof typeof FORMS;
